/* Copy the tree of a layer, with everything overlayfs keeps in it: whiteouts, opaque marks, hard links, holes, times.
 * Runs in the zygote's user namespace with all its capabilities, before anything is mounted on the copy, and follows no
 * symbolic link, so a tree that an agent wrote cannot lead it elsewhere. */
#include "helper.h"

enum { DEPTH_LIMIT = 6000 };
static struct { ino_t inode; int file; } *linked; /* first copies of files with several names */
static size_t linked_count;

static int no_dots(const struct dirent *entry) { return strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."); }

/* A tmpfs lists its newest first: copied backwards, folders are read in the order of names on every machine. */
static int backwards(const struct dirent **one, const struct dirent **other) { return -strcmp((*one)->d_name, (*other)->d_name); }

static void shuffle_names(struct dirent **names, int count, uint32_t *state) {
    for (; count > 1; count--) {
        *state = *state * 1664525u + 1013904223u;
        uint32_t other = (*state >> 8) % count;
        struct dirent *name = names[count - 1];
        names[count - 1] = names[other];
        names[other] = name;
    }
}

static void copy_attributes(int from, int to, const struct stat *status, struct copy how) {
    static char list[XATTR_LIST_MAX], value[XATTR_SIZE_MAX];
    ssize_t size = flistxattr(from, list, sizeof list);
    for (char *name = list; size > 0 && name < list + size; name += strlen(name) + 1) {
        ssize_t length = fgetxattr(from, name, value, sizeof value);
        if (length >= 0) fsetxattr(to, name, value, length, 0);
    }
    struct timespec times[2] = {status->st_atim, status->st_mtim};
    if (how.stamp) { /* nothing was read before the episode; what has no time of its own was made with it */
        times[0] = (struct timespec){how.stamp / 1000000000, how.stamp % 1000000000};
        if (status->st_mtim.tv_sec == 1) times[1] = times[0]; /* images/base.py: UNSET_TIME */
    }
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

static int copy_file(int from, int to, const char *name, const struct stat *status, struct copy how) {
    if (status->st_nlink > 1 && link_again(status, to, name)) return 0;
    int source = openat(from, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    int target = openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    int result = source < 0 || target < 0 ? -1 : copy_content(source, target, status->st_size);
    if (!result) copy_attributes(source, target, status, how);
    if (!result && status->st_nlink > 1) {
        linked = realloc(linked, (linked_count + 1) * sizeof *linked);
        linked[linked_count].inode = status->st_ino;
        linked[linked_count++].file = openat(to, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    }
    close(source);
    close(target);
    return result;
}

static int copy_link(int from, int to, const char *name, const struct stat *status, struct copy how) {
    char target[4096];
    ssize_t length = readlinkat(from, name, target, sizeof target - 1);
    if (length < 0) return -1;
    target[length] = 0;
    struct timespec times[2] = {status->st_atim, status->st_mtim};
    if (symlinkat(target, to, name) < 0) return -1;
    if (how.stamp && status->st_mtim.tv_sec == 1) return 0; /* made now, which is close to the stamp */
    return utimensat(to, name, times, AT_SYMLINK_NOFOLLOW);
}

static int copy_folder(int from, int to, struct copy *how, int depth);

static int copy_entry(int from, int to, const char *name, struct copy *how, int depth) {
    struct stat status;
    if (fstatat(from, name, &status, AT_SYMLINK_NOFOLLOW) < 0) return -1;
    if (S_ISREG(status.st_mode)) return copy_file(from, to, name, &status, *how);
    if (S_ISLNK(status.st_mode)) return copy_link(from, to, name, &status, *how);
    if (!S_ISDIR(status.st_mode)) /* whiteouts are devices 0/0; pipes; sockets */
        return mknodat(to, name, status.st_mode, S_ISCHR(status.st_mode) ? 0 : status.st_rdev);
    if (mkdirat(to, name, 0700) < 0 && errno != EEXIST) return -1;
    int source = openat(from, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int target = openat(to, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int result = source < 0 || target < 0 ? -1 : copy_folder(source, target, how, depth + 1);
    if (!result) copy_attributes(source, target, &status, *how);
    close(source);
    close(target);
    return result;
}

static int copy_folder(int from, int to, struct copy *how, int depth) {
    struct dirent **names;
    errno = ELOOP;
    /* opens "." anew: descriptors that were passed around share one read position */
    int result = 0, count = depth > DEPTH_LIMIT ? -1 : scandirat(from, ".", &names, no_dots, backwards);
    if (count < 0) return -1;
    if (how->shuffle) shuffle_names(names, count, &how->shuffle);
    for (int i = 0; i < count; i++) {
        if (!result) result = copy_entry(from, to, names[i]->d_name, how, depth);
        free(names[i]);
    }
    free(names);
    return result;
}

int copy_tree(int from, int to, struct copy how) {
    struct stat status;
    if (fstat(from, &status) < 0 || copy_folder(from, to, &how, 0) < 0) return -1;
    copy_attributes(from, to, &status, how); /* the root's own mode, times and marks */
    for (size_t i = 0; i < linked_count; i++) close(linked[i].file);
    linked_count = 0;
    return 0;
}
