/* Copy the tree of a layer, with everything overlayfs keeps in it: whiteouts, opaque marks, hard links, holes, times.
 * Runs in the zygote's user namespace with all its capabilities, before anything is mounted on the copy, and follows no
 * symbolic link, so a tree that an agent wrote cannot lead it elsewhere. */
#include "helper.h"

enum { SPARE_DESCRIPTORS = 64 };
static struct { ino_t inode; int file; } *linked; /* first copies of files with several names */
static size_t linked_count;

/* A tmpfs lists its newest first: copied backwards, folders are read in the order of names on every machine. */
static int backwards(const void *one, const void *other) { return -strcmp(*(char *const *)one, *(char *const *)other); }

/* The names in the folder, as scandirat of glibc has them, which other C libraries lack. Returns how many, or -1.
 * Opens "." anew: descriptors that were passed around share one read position. */
static int list_backwards(int from, char ***names) {
    int own = openat(from, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), count = 0, places = 0;
    DIR *folder = own < 0 ? NULL : fdopendir(own);
    if (!folder) return -1;
    *names = NULL;
    for (struct dirent *entry; errno = 0, (entry = readdir(folder));) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        if (count == places && !(*names = realloc(*names, (places = 2 * places + 16) * sizeof **names))) return -1;
        if (!((*names)[count++] = strdup(entry->d_name))) return -1;
    }
    if (errno) return -1;
    closedir(folder);
    if (count) qsort(*names, count, sizeof **names, backwards);
    return count;
}

static void shuffle_names(char **names, int count, uint32_t *state) {
    for (; count > 1; count--) {
        *state = *state * 1664525u + 1013904223u;
        uint32_t other = (*state >> 8) % count;
        char *name = names[count - 1];
        names[count - 1] = names[other];
        names[other] = name;
    }
}

/* The time that one of a layer stands for: images/base.py, UNSET_TIME and LONGEST_AGE. */
static struct timespec time_in_session(struct timespec own, int64_t stamp) {
    if (!stamp || own.tv_nsec || own.tv_sec < 1 || own.tv_sec > 1 + 100000000) return own;
    stamp -= (own.tv_sec - 1) * 1000000000;
    return (struct timespec){stamp / 1000000000, stamp % 1000000000};
}

static void copy_attributes(int from, int to, const struct stat *status, struct copy how) {
    static char list[XATTR_LIST_MAX], value[XATTR_SIZE_MAX];
    ssize_t size = flistxattr(from, list, sizeof list);
    for (char *name = list; size > 0 && name < list + size; name += strlen(name) + 1) {
        ssize_t length = fgetxattr(from, name, value, sizeof value);
        if (length >= 0) fsetxattr(to, name, value, length, 0);
    }
    struct timespec times[2] = {status->st_atim, time_in_session(status->st_mtim, how.stamp)};
    if (how.stamp) /* nothing was read before the episode */
        times[0] = (struct timespec){how.stamp / 1000000000, how.stamp % 1000000000};
    if (fchown(to, status->st_uid, status->st_gid) < 0) errno = 0; /* an id outside the map: stays ours */
    fchmod(to, status->st_mode & 07777);
    futimens(to, times);
}

static int copy_content(int from, int to, off_t size) {
    if (ftruncate(to, size) < 0) return -1;
    for (off_t hole, data = 0; data < size; data = hole) {
        if ((data = lseek(from, data, SEEK_DATA)) < 0) return errno == ENXIO ? 0 : -1;
        hole = lseek(from, data, SEEK_HOLE);
        if (lseek(to, data, SEEK_SET) < 0) return -1;
        for (off_t position = data; position < hole;)
            if (sendfile(to, from, &position, hole - position) <= 0) return -1;
    }
    return 0;
}

/* True when `name` was made as one more name of a file copied before. */
static bool link_again(const struct stat *status, int to, const char *name) {
    char path[64];
    for (size_t i = 0; i < linked_count; i++)
        if (linked[i].inode == status->st_ino) {
            if (linkat(linked[i].file, "", to, name, AT_EMPTY_PATH) == 0) return true; /* a stager may, and has no /proc */
            snprintf(path, sizeof path, "/proc/self/fd/%d", linked[i].file);
            return linkat(AT_FDCWD, path, to, name, AT_SYMLINK_FOLLOW) == 0;
        }
    return false;
}

/* Where there are more such files than we may have open, the names of the last become files of their own. */
static void remember_link(ino_t inode, int file) {
    if (file < 0 || file > sysconf(_SC_OPEN_MAX) - SPARE_DESCRIPTORS) {
        close(file);
        return;
    }
    linked = realloc(linked, (linked_count + 1) * sizeof *linked);
    linked[linked_count].inode = inode;
    linked[linked_count++].file = file;
}

static int copy_file(int from, int to, const char *name, const struct stat *status, struct copy how) {
    if (status->st_nlink > 1 && link_again(status, to, name)) return 0;
    int source = openat(from, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    int target = openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    int result = source < 0 || target < 0 ? -1 : copy_content(source, target, status->st_size);
    if (!result) copy_attributes(source, target, status, how);
    if (!result && status->st_nlink > 1) remember_link(status->st_ino, openat(to, name, O_PATH | O_NOFOLLOW | O_CLOEXEC));
    close(source);
    close(target);
    return result;
}

static int copy_link(int from, int to, const char *name, const struct stat *status, struct copy how) {
    char target[4096];
    ssize_t length = readlinkat(from, name, target, sizeof target - 1);
    if (length < 0) return -1;
    target[length] = 0;
    struct timespec times[2] = {status->st_atim, time_in_session(status->st_mtim, how.stamp)};
    if (symlinkat(target, to, name) < 0) return -1;
    return utimensat(to, name, times, AT_SYMLINK_NOFOLLOW);
}

/* Returns 1 for a folder: it has been made, and what is in it is still to be copied. */
static int copy_entry(int from, int to, const char *name, struct copy how) {
    struct stat status;
    if (fstatat(from, name, &status, AT_SYMLINK_NOFOLLOW) < 0) return -1;
    if (S_ISREG(status.st_mode)) return copy_file(from, to, name, &status, how);
    if (S_ISLNK(status.st_mode)) return copy_link(from, to, name, &status, how);
    if (!S_ISDIR(status.st_mode)) /* whiteouts are devices 0/0; pipes; sockets */
        return mknodat(to, name, status.st_mode, S_ISCHR(status.st_mode) ? 0 : status.st_rdev);
    return mkdirat(to, name, 0700) < 0 && errno != EEXIST ? -1 : 1;
}

/* The folders from the root to the one that is being copied. However many they are, two descriptors and no recursion do:
 * the way back is "..", and must lead to where we came from. */
static struct folder { char **names; int count, next; struct stat from, to; } *folders;
static size_t depth, room;

static int begin_folder(int from, int to, struct copy *how) {
    if (depth == room) folders = realloc(folders, (room += 64) * sizeof *folders);
    struct folder *folder = &folders[depth++];
    if (fstat(from, &folder->from) < 0 || fstat(to, &folder->to) < 0) return -1;
    folder->next = 0;
    folder->count = list_backwards(from, &folder->names);
    if (how->shuffle) shuffle_names(folder->names, folder->count, &how->shuffle);
    return folder->count < 0 ? -1 : 0;
}

static int step(int *folder, const char *name) {
    int next = openat(*folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (next < 0) return -1;
    close(*folder);
    *folder = next;
    return 0;
}

static int step_back(int *folder, const struct stat *parent) {
    struct stat status;
    if (step(folder, "..") < 0 || fstat(*folder, &status) < 0) return -1;
    if (status.st_dev == parent->st_dev && status.st_ino == parent->st_ino) return 0;
    errno = ESTALE;
    return -1;
}

/* The folder's own mode, times and marks come last: what was made in it has changed its times. */
static int end_folder(int *from, int *to, struct copy how) {
    copy_attributes(*from, *to, &folders[--depth].from, how);
    free(folders[depth].names);
    if (!depth) return 0;
    return step_back(from, &folders[depth - 1].from) < 0 ? -1 : step_back(to, &folders[depth - 1].to);
}

static int copy_next(int *from, int *to, struct copy *how) {
    struct folder *folder = &folders[depth - 1];
    if (folder->next == folder->count) return end_folder(from, to, *how);
    char *name = folder->names[folder->next++];
    int result = copy_entry(*from, *to, name, *how);
    if (result > 0) result = step(from, name) < 0 || step(to, name) < 0 ? -1 : begin_folder(*from, *to, how);
    free(name);
    return result;
}

/* Whoever calls this ends when it fails: nothing is given back then. */
int copy_tree(int from, int to, struct copy how) {
    from = openat(from, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    to = openat(to, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (from < 0 || to < 0 || begin_folder(from, to, &how) < 0) return -1;
    while (depth)
        if (copy_next(&from, &to, &how) < 0) return -1;
    close(from);
    close(to);
    while (linked_count) close(linked[--linked_count].file);
    return 0;
}
