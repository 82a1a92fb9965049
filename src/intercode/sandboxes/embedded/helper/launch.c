/* On the host, before bubblewrap: hold a user namespace for it, and, for root, get rid of being root. */
#include "helper.h"

/* linux/mount.h and sys/mount.h do not go together in every C library. */
enum { ID_MAPPED = 0x100000, CLONE_TREE = 1, FROM_DESCRIPTOR = 4 };

static void become(const char *number) {
    uid_t id = strtoul(number, NULL, 10);
    CHECK(setgroups(0, NULL));
    CHECK(setresgid(id, id, id));
    CHECK(setresuid(id, id, id));
}

/* userns [ID]: (as root: become ID, then) make a user namespace and hold it until standard input ends. */
int keep_user_namespace(int argc, char **argv) {
    char byte;
    if (argc > 2) become(argv[2]);
    CHECK(unshare(CLONE_NEWUSER));
    CHECK(write(1, "ready\n", 6));
    while (read(0, &byte, 1) > 0) {}
    return 0;
}

/* A private copy of one of root's mounts. Marked 'i', its owners are shifted into the user namespace. */
static int clone_mount(char mark, const char *path, int user_namespace) {
    int tree = syscall(SYS_open_tree, AT_FDCWD, path, CLONE_TREE | O_CLOEXEC);
    if (tree < 0) fail(path);
    uint64_t attributes[4] = {ID_MAPPED, 0, 0, user_namespace}; /* struct mount_attr: set, clear, propagation, namespace */
    if (mark == 'i' && syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, attributes, sizeof attributes) < 0) {
        dprintf(2, "cannot map the owners of %s: ", path);
        fail("its file system or this kernel has no id-mapped mounts");
    }
    return tree;
}

/* launch ID USERNS STAGE COUNT (MARK PATH)… PROGRAM ARGUMENTS…: as root, show each PATH as STAGE/0, STAGE/1, … in a mount
 * namespace of our own (root's folders may be closed to others), become ID and execute PROGRAM. */
int launch_as_root(int argc, char **argv) {
    if (argc < 7) return 2;
    int user_namespace = atoi(argv[3]), count = atoi(argv[5]), trees[64];
    const char *stage = argv[4];
    char **rest = argv + 6;
    if (count > 64 || argc < 7 + 2 * count) return 2;
    CHECK(unshare(CLONE_NEWNS));
    CHECK(mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL));
    for (int i = 0; i < count; i++, rest += 2) trees[i] = clone_mount(rest[0][0], rest[1], user_namespace);
    int program = open(rest[0], O_PATH | O_CLOEXEC); /* STAGE may cover it */
    CHECK(program);
    CHECK(mount("tmpfs", stage, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=64k"));
    CHECK(chdir(stage));
    for (int i = 0; i < count; i++) {
        struct stat status;
        char name[16];
        snprintf(name, sizeof name, "%d", i);
        CHECK(fstat(trees[i], &status));
        if (S_ISDIR(status.st_mode)) CHECK(mkdir(name, 0755));
        else close(open(name, O_CREAT | O_CLOEXEC, 0644));
        CHECK(syscall(SYS_move_mount, trees[i], "", AT_FDCWD, name, FROM_DESCRIPTOR));
    }
    CHECK(chdir("/"));
    become(argv[2]);
    syscall(SYS_execveat, program, "", rest, environ, AT_EMPTY_PATH);
    fail(rest[0]);
}
