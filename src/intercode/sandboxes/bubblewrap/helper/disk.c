/* How much an episode has written to a folder on disk, where no file system of its own sets an end to it: what can be
 * found by walking that folder, and the deleted files that its processes hold open. Runs in process 1, which may look
 * into all of them. The tree is hostile and changes meanwhile: every step goes by descriptor and follows no link. */
#include "helper.h"
#include <linux/magic.h>
#include <sys/statfs.h>

enum { DEPTH_LIMIT = 6000, HELD_LIMIT = 1024 };
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
            usage->hidden |= errno != ENOENT && errno != ENOTDIR && errno != ELOOP; /* those: it has just changed */
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
        else usage->hidden = true, close(inner);
    }
}

/* A deleted file that a process holds open, unless it is in memory or was seen with another process. */
static void count_held(const char *path, struct usage *usage) {
    static struct { dev_t device; ino_t inode; } seen[HELD_LIMIT];
    struct stat status;
    struct statfs system;
    if (stat(path, &status) < 0 || status.st_nlink || !S_ISREG(status.st_mode)) return;
    if (statfs(path, &system) < 0 || system.f_type == TMPFS_MAGIC) return; /* memfd, and the like */
    size_t known = usage->held < HELD_LIMIT ? usage->held : HELD_LIMIT;
    for (size_t i = 0; i < known; i++)
        if (seen[i].device == status.st_dev && seen[i].inode == status.st_ino) return;
    if (known < HELD_LIMIT) seen[known].device = status.st_dev, seen[known].inode = status.st_ino;
    usage->held++;
    count_file(&status, usage);
}

static uint64_t count_held_by(const char *process, const void *data) {
    struct usage *usage = *(struct usage *const *)data;
    char path[300];
    snprintf(path, sizeof path, "/proc/%.16s/fd", process);
    DIR *folder = opendir(path);
    if (!folder) return 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        snprintf(path, sizeof path, "/proc/%.16s/fd/%.200s", process, entry->d_name);
        if (isdigit(entry->d_name[0])) count_held(path, usage);
    }
    closedir(folder);
    return 0;
}

struct usage disk_usage(int stage) {
    struct usage usage = {0}, *found = &usage;
    count_tree(stage, &usage);
    each_process(count_held_by, &found);
    return usage;
}
