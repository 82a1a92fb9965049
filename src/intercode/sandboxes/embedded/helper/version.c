/* Whether anything in the upper layer has changed since somebody looked: told by the times of change of all that is in it.
 * No program can set those, and a change of whatever kind sets one that is left: the file's own, or that of the folder whose
 * name is gone. Only said where no process is left, since a file in some program's memory changes without its time. */
#include "helper.h"
#include <linux/magic.h>
#include <sys/statfs.h>

enum { DEPTH_LIMIT = 128 }; /* the host looks no further either */
struct entry { uint64_t inode, next; uint16_t size; uint8_t type; char name[]; }; /* the kernel's linux_dirent64 */

/* The sum is there for clocks that are set back. */
static void note(const struct stat *status, struct version *version) {
    uint64_t changed = status->st_ctim.tv_sec * 1000000000ull + status->st_ctim.tv_nsec;
    if (changed > version->newest) version->newest = changed;
    version->sum += changed * (2 * status->st_ino + 1);
}

/* Look at all below a folder, and close it. False where not all of it could be seen. */
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
            if (!S_ISDIR(status.st_mode) || depth >= DEPTH_LIMIT) continue;
            int inner = openat(folder, entry->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            seen = inner >= 0 && look_below(inner, depth + 1, version);
        }
    close(folder);
    return seen && size >= 0;
}

/* All zero where it cannot be told: a time that the clock still shows may be given to one more change. On disk other
 * file systems have their own ways with times. */
struct version version_of(int upper) {
    struct version version = {0}, unknown = {0};
    struct statfs system;
    struct stat status;
    struct timespec now;
    if (fstatfs(upper, &system) < 0 || system.f_type != TMPFS_MAGIC || fstat(upper, &status) < 0) return unknown;
    clock_gettime(CLOCK_REALTIME_COARSE, &now); /* what the kernel takes the times from */
    note(&status, &version);
    int folder = openat(upper, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0 || !look_below(folder, 1, &version)) return unknown;
    return version.newest < now.tv_sec * 1000000000ull + now.tv_nsec ? version : unknown;
}
