/* Whether anything in the upper layer has changed since somebody looked: told by the times of change of all that is in it,
 * which no program can set, and by the content of its files. Times alone do not tell: who maps a file and reads it first can
 * then write to it unnoticed, since on a tmpfs only the fault of a write sets them. Only said where no process is left. */
#include "helper.h"
#include <linux/magic.h>
#include <sys/random.h>
#include <sys/statfs.h>

enum { DEPTH_LIMIT = 128 }; /* the host looks no further either */
enum { CONTENT_LIMIT = 256 << 10, WORD = 7, WORDS = 4, BLOCK = WORD * WORDS }; /* bytes that a look reads; that a word has */
struct entry { uint64_t inode, next; uint16_t size; uint8_t type; char name[]; }; /* the kernel's linux_dirent64 */

static const uint64_t PRIME = (1ull << 61) - 1, WORD_MASK = (1ull << WORD * 8) - 1; /* of little-endian machines */
static uint64_t powers[WORDS + 1]; /* of the key. Nobody in the episode knows it: nobody can make two states that look alike */
static size_t content_left;        /* of CONTENT_LIMIT, in this look */

static uint64_t modulo_prime(unsigned __int128 number) {
    uint64_t once = (uint64_t)(number & PRIME) + (uint64_t)(number >> 61), twice = (once & PRIME) + (once >> 61);
    return twice >= PRIME ? twice - PRIME : twice;
}

static bool choose_key(void) {
    uint64_t key;
    if (powers[0]) return true;
    if (getrandom(&key, sizeof key, 0) != sizeof key) return false;
    powers[0] = 1;
    for (int i = 1; i <= WORDS; i++) powers[i] = modulo_prime((unsigned __int128)powers[i - 1] * (key & PRIME));
    return true;
}

/* One more word, below 2^61: the hash is a polynomial in the key, whose coefficients are the words. */
static void mix(struct version *version, uint64_t word) {
    version->hash = modulo_prime((unsigned __int128)version->hash * powers[1] + word);
}

/* The same with the words of a whole block, in less time. */
static void mix_block(struct version *version, const unsigned char *block) {
    unsigned __int128 sum = (unsigned __int128)version->hash * powers[WORDS];
    for (int i = 0; i < WORDS; i++) {
        uint64_t word;
        memcpy(&word, block + i * WORD, sizeof word); /* one byte too many, which is faster than to copy seven */
        sum += (unsigned __int128)(word & WORD_MASK) * powers[WORDS - 1 - i];
    }
    version->hash = modulo_prime(sum);
}

static void note(const struct stat *status, struct version *version) {
    uint64_t changed = status->st_ctim.tv_sec * 1000000000ull + status->st_ctim.tv_nsec;
    if (changed > version->newest) version->newest = changed;
    mix(version, status->st_ino & PRIME);
    mix(version, status->st_ctim.tv_sec & PRIME);
    mix(version, status->st_ctim.tv_nsec);
    mix(version, status->st_size & PRIME);
}

/* False where the file could not be read, or is too long. */
static bool note_content(int folder, const char *name, const struct stat *status, struct version *version) {
    static unsigned char room[BLOCK * 1024 + BLOCK];
    size_t size = status->st_size, most = sizeof room - BLOCK;
    if (size > content_left) return false;
    content_left -= size;
    int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return false;
    for (size_t done = 0; done < size;) {
        size_t wanted = size - done < most ? size - done : most;
        if (read(file, room, wanted) != (ssize_t)wanted) return close(file), false;
        memset(room + wanted, 0, BLOCK);
        for (size_t at = 0; at < wanted; at += BLOCK) mix_block(version, room + at);
        list_content(done, room, wanted);
        done += wanted;
    }
    close(file);
    return true;
}

/* Look at all below a folder, list it, and close the folder. False where not all of it could be seen. */
static bool look_below(int folder, int depth, struct version *version) {
    char room[2048] __attribute__((aligned(8)));
    bool seen = true;
    ssize_t size = -1;
    while (seen && (size = syscall(SYS_getdents64, folder, room, sizeof room)) > 0)
        for (ssize_t at = 0; seen && at < size;) {
            struct entry *entry = (struct entry *)(room + at);
            struct stat status;
            at += entry->size;
            if (!strcmp(entry->name, ".") || !strcmp(entry->name, "..")) continue;
            if (!(seen = fstatat(folder, entry->name, &status, AT_SYMLINK_NOFOLLOW) == 0)) break;
            note(&status, version);
            list_entry(folder, entry->name, &status, depth - 1);
            if (S_ISREG(status.st_mode) && !(seen = note_content(folder, entry->name, &status, version))) break;
            if (!S_ISDIR(status.st_mode) || depth >= DEPTH_LIMIT) continue;
            int inner = openat(folder, entry->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            if (inner >= 0) list_mark(inner);
            seen = inner >= 0 && look_below(inner, depth + 1, version);
        }
    close(folder);
    return seen && size >= 0;
}

/* Lists all there is on the way (see listing.c). All zero where it cannot be told: a time that the clock still shows may be given to one more change. On disk other
 * file systems have their own ways with times. */
struct version version_of(int upper, bool listed) {
    struct version version = {0}, unknown = {0};
    struct statfs system;
    struct stat status;
    struct timespec now;
    begin_listing(false);
    if (fstatfs(upper, &system) < 0 || system.f_type != TMPFS_MAGIC || fstat(upper, &status) < 0) return unknown;
    if (!choose_key()) return unknown;
    content_left = CONTENT_LIMIT;
    begin_listing(listed);
    clock_gettime(CLOCK_REALTIME_COARSE, &now); /* what the kernel takes the times from */
    note(&status, &version);
    int folder = openat(upper, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0 || !look_below(folder, 1, &version)) return give_up_listing(), unknown;
    return version.newest < now.tv_sec * 1000000000ull + now.tv_nsec ? version : unknown;
}
