/* Ways to other file systems, namespaces and devices. */
#include "attack.h"
#include <linux/sched.h>
#include <sys/sysmacros.h>

static long clone_with(unsigned long flags) {
    long child = syscall(SYS_clone, flags | SIGCHLD, NULL, NULL, NULL, NULL);
    if (child == 0) _exit(0);
    return child;
}

static long clone3_with(unsigned long long flags) {
    struct clone_args arguments = {.flags = flags, .exit_signal = SIGCHLD};
    long child = syscall(SYS_clone3, &arguments, sizeof arguments);
    if (child == 0) _exit(0);
    return child;
}

static long enter(const char *namespace) {
    char path[64];
    snprintf(path, sizeof path, "/proc/1/ns/%s", namespace);
    int file = open(path, O_RDONLY);
    return file < 0 ? -1 : setns(file, 0);
}

/* A mount found in the machine's list by its number, then by the handle of a file: past all paths. */
static long open_by_handle(void) {
    struct { struct file_handle head; unsigned char room[128]; } handle = {.head.handle_bytes = 128};
    int mount_id;
    if (name_to_handle_at(AT_FDCWD, "/usr", &handle.head, &mount_id, 0) < 0) return -1;
    return open_by_handle_at(AT_FDCWD, &handle.head, O_RDONLY);
}

static void try_namespaces(void) {
    static const struct { const char *name; unsigned long flag; } all[] = {
        {"user", CLONE_NEWUSER}, {"mount", CLONE_NEWNS}, {"pid", CLONE_NEWPID}, {"network", CLONE_NEWNET},
        {"ipc", CLONE_NEWIPC}, {"uts", CLONE_NEWUTS}, {"cgroup", CLONE_NEWCGROUP}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char name[64];
        snprintf(name, sizeof name, "unshare-%s", all[i].name);
        ATTEMPT(name, unshare(all[i].flag));
        snprintf(name, sizeof name, "unshare-user-%s", all[i].name);
        ATTEMPT(name, unshare(CLONE_NEWUSER | all[i].flag));
        snprintf(name, sizeof name, "clone-%s", all[i].name);
        ATTEMPT(name, clone_with(all[i].flag));
        snprintf(name, sizeof name, "clone3-%s", all[i].name);
        ATTEMPT(name, clone3_with(all[i].flag));
    }
    ATTEMPT("unshare-time", unshare(0x80));
    ATTEMPT("setns-user", enter("user"));
    ATTEMPT("setns-mount", enter("mnt"));
    ATTEMPT("setns-network", enter("net"));
    ATTEMPT("setns-pid", enter("pid"));
    ATTEMPT("setns-pidfd", setns(syscall(SYS_pidfd_open, 1, 0), CLONE_NEWNS | CLONE_NEWPID));
}

int main(void) {
    try_namespaces();
    mkdir("/tmp/there", 0755);
    ATTEMPT("mount-tmpfs", mount("none", "/tmp/there", "tmpfs", 0, NULL));
    ATTEMPT("mount-proc", mount("none", "/tmp/there", "proc", 0, NULL));
    ATTEMPT("mount-sysfs", mount("none", "/tmp/there", "sysfs", 0, NULL));
    ATTEMPT("mount-cgroup", mount("none", "/tmp/there", "cgroup2", 0, NULL));
    ATTEMPT("mount-bind", mount("/proc/self/fd/0", "/tmp/there", NULL, MS_BIND, NULL));
    ATTEMPT("mount-bind-first", mount("/proc/1/root", "/tmp/there", NULL, MS_BIND | MS_REC, NULL));
    ATTEMPT("mount-overlay", mount("o", "/tmp/there", "overlay", 0, "lowerdir=/etc:/usr,userxattr"));
    ATTEMPT("remount-usr", mount(NULL, "/usr", NULL, MS_REMOUNT | MS_BIND, NULL));
    ATTEMPT("remount-sys", mount(NULL, "/proc/sys", NULL, MS_REMOUNT | MS_BIND, NULL));
    ATTEMPT("share", mount(NULL, "/", NULL, MS_SHARED | MS_REC, NULL));
    ATTEMPT("umount-sys", umount2("/proc/sys", MNT_DETACH));
    ATTEMPT("umount-keys", umount2("/proc/keys", MNT_DETACH));
    ATTEMPT("umount-usr", umount2("/usr", MNT_DETACH));
    ATTEMPT("fsopen", syscall(SYS_fsopen, "tmpfs", 0));
    ATTEMPT("open-tree", syscall(SYS_open_tree, AT_FDCWD, "/", 1));
    ATTEMPT("mount-setattr", syscall(SYS_mount_setattr, AT_FDCWD, "/usr", 0, NULL, 0));
    ATTEMPT("pivot-root", syscall(SYS_pivot_root, "/tmp", "/tmp"));
    ATTEMPT("open-by-handle", open_by_handle());
    ATTEMPT("mknod-disk", mknod("/tmp/disk", S_IFBLK | 0600, makedev(8, 0)));
    ATTEMPT("mknod-memory", mknod("/dev/memory", S_IFCHR | 0600, makedev(1, 1)));
    ATTEMPT("mknod-kmsg", mknod("/dev/shm/kmsg", S_IFCHR | 0600, makedev(1, 11)));
    ATTEMPT("mknod-whiteout", mknod("/etc/passwd.gone", S_IFCHR | 0600, 0));
    ATTEMPT("swapon", syscall(SYS_swapon, "/etc/passwd", 0));
    ATTEMPT("quotactl", syscall(SYS_quotactl, 0, "/dev/vda", 0, NULL));
    ATTEMPT("sethostname", sethostname("pwned", 5));
    return 0;
}
