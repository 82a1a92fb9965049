/* How much an episode has written to a folder on disk, where no file system of its own sets an end to it: what can be
 * found by walking that folder, and the deleted files that its processes hold open; and how many they hold so that their
 * size cannot be seen. Runs in process 1, which may look into all of them. The tree is hostile and changes meanwhile:
 * every step goes by descriptor and follows no link. */
#include "helper.h"
#include <linux/magic.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>

enum { DEPTH_LIMIT = 6000, SEEN_LIMIT = 4096 };
struct entry { uint64_t inode, next; uint16_t size; uint8_t type; char name[]; }; /* the kernel's linux_dirent64 */

/* Files of several names count once, for each name a part: no memory of what was seen is needed. */
static void count_file(const struct stat *status, struct usage *usage) {
    usage->files++;
    usage->bytes += (uint64_t)status->st_blocks * 512 / (status->st_nlink ? status->st_nlink : 1);
}

/* Count what is read of *folder* from where it stands, up to the first folder in it: returns that one, open, or -1. */
static int count_up_to_folder(int folder, struct usage *usage) {
    char room[4096] __attribute__((aligned(8)));
    for (ssize_t size; (size = syscall(SYS_getdents64, folder, room, sizeof room)) > 0;)
        for (ssize_t at = 0; at < size;) {
            struct entry *entry = (struct entry *)(room + at);
            struct stat status;
            at += entry->size;
            if (!strcmp(entry->name, ".") || !strcmp(entry->name, "..")) continue;
            if (fstatat(folder, entry->name, &status, AT_SYMLINK_NOFOLLOW) < 0) continue;
            count_file(&status, usage);
            if (!S_ISDIR(status.st_mode)) continue;
            int inner = openat(folder, entry->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            if (inner >= 0) return lseek(folder, entry->next, SEEK_SET), inner;
            usage->closed |= errno != ENOENT && errno != ENOTDIR && errno != ELOOP; /* those: it has just changed */
        }
    return -1;
}

static void count_tree(int folder, struct usage *usage) {
    static int open_folders[DEPTH_LIMIT];
    int depth = 0;
    open_folders[0] = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (depth >= 0) {
        int inner = count_up_to_folder(open_folders[depth], usage);
        if (inner < 0) close(open_folders[depth--]);
        else if (depth + 1 < DEPTH_LIMIT) open_folders[++depth] = inner;
        else usage->closed = true, close(inner);
    }
}

/* Whether this file is met for the first time in this look. */
static bool is_new(dev_t device, ino_t inode, struct usage *usage) {
    static struct { dev_t device; ino_t inode; } seen[SEEN_LIMIT];
    for (size_t i = 0; i < usage->seen; i++)
        if (seen[i].device == device && seen[i].inode == inode) return false;
    if (usage->seen < SEEN_LIMIT) seen[usage->seen].device = device, seen[usage->seen++].inode = inode;
    return true;
}

/* Descriptors that have been sent through this socket and not been received. */
static uint64_t underway(const char *process, const char *descriptor) {
    char file[32], text[512], *found;
    snprintf(file, sizeof file, "fdinfo/%.16s", descriptor);
    return read_text(process, file, text, sizeof text) && (found = strstr(text, "scm_fds:")) ? strtoull(found + 8, NULL, 10) : 0;
}

/* A deleted file that a process holds open, unless it is in memory; or a socket, which may hold more of them. */
static void count_held(const char *process, const char *descriptor, struct usage *usage) {
    char path[64];
    struct stat status;
    struct statfs system;
    snprintf(path, sizeof path, "/proc/%.16s/fd/%.16s", process, descriptor);
    if (stat(path, &status) < 0 || (S_ISREG(status.st_mode) ? status.st_nlink : !S_ISSOCK(status.st_mode))) return;
    if (!is_new(status.st_dev, status.st_ino, usage)) return;
    if (S_ISSOCK(status.st_mode)) usage->hidden += underway(process, descriptor);
    else if (statfs(path, &system) == 0 && system.f_type != TMPFS_MAGIC) count_file(&status, usage); /* not a memfd, say */
}

/* Deleted files of our own disk that a process has in its memory, open or not: how large they are cannot be seen. */
static void count_mapped(const char *process, struct usage *usage) {
    char path[64], line[PATH_MAX + 128];
    unsigned major, minor;
    unsigned long long inode;
    snprintf(path, sizeof path, "/proc/%.16s/maps", process);
    FILE *maps = fopen(path, "re");
    while (maps && fgets(line, sizeof line, maps)) {
        if (!strstr(line, " (deleted)") || sscanf(line, "%*s %*s %*s %x:%x %llu", &major, &minor, &inode) != 3) continue;
        dev_t device = makedev(major, minor);
        if (device == usage->devices[0] || device == usage->devices[1]) usage->hidden += is_new(device, inode, usage);
    }
    if (maps) fclose(maps);
}

static uint64_t count_process(const char *process, const void *data) {
    struct usage *usage = *(struct usage *const *)data;
    char path[64];
    snprintf(path, sizeof path, "/proc/%.16s/fd", process);
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (isdigit(entry->d_name[0])) count_held(process, entry->d_name, usage);
    if (folder) closedir(folder);
    count_mapped(process, usage);
    return 0;
}

struct usage disk_usage(int stage) {
    struct usage usage = {0}, *found = &usage;
    struct stat disk = {0}, overlay = {0};
    fstat(stage, &disk);
    stat("/", &overlay); /* which of the two a mapping shows is the kernel's choice */
    usage.devices[0] = disk.st_dev, usage.devices[1] = overlay.st_dev;
    count_tree(stage, &usage);
    each_process(count_process, &found);
    return usage;
}
