/* On the host, before bubblewrap: hold a user namespace for it, and, for root, get rid of being root. */
#include "helper.h"

void become(const char *number) {
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

/* In a mount namespace of our own, show each marked path on *folder* as PREFIX0, PREFIX1, …, and go there. */
void show_mounts(const char *folder, const char *prefix, int count, char **marked, int user_namespace) {
    int trees[64];
    CHECK(unshare(CLONE_NEWNS));
    CHECK(mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL));
    for (int i = 0; i < count; i++) trees[i] = clone_mount(marked[2 * i][0], marked[2 * i + 1], user_namespace);
    CHECK(mount("tmpfs", folder, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=64k"));
    CHECK(chdir(folder));
    for (int i = 0; i < count; i++) {
        struct stat status;
        char name[32];
        snprintf(name, sizeof name, "%s%d", prefix, i);
        make_parents(name);
        CHECK(fstat(trees[i], &status));
        if (S_ISDIR(status.st_mode)) CHECK(mkdir(name, 0755));
        else close(open(name, O_CREAT | O_CLOEXEC, 0644));
        CHECK(syscall(SYS_move_mount, trees[i], "", AT_FDCWD, name, FROM_DESCRIPTOR));
        close(trees[i]);
    }
}

/* launch ID USERNS STAGE COUNT (MARK PATH)… PROGRAM ARGUMENTS…: as root, show each PATH as STAGE/0, STAGE/1, … (root's
 * folders may be closed to others), become ID and execute PROGRAM. */
int launch_as_root(int argc, char **argv) {
    if (argc < 7) return 2;
    int count = atoi(argv[5]);
    if (count > 64 || argc < 7 + 2 * count) return 2;
    char **rest = argv + 6 + 2 * count;
    int program = open(rest[0], O_PATH | O_CLOEXEC); /* STAGE may cover it */
    CHECK(program);
    show_mounts(argv[4], "", count, argv + 6, atoi(argv[3]));
    CHECK(chdir("/"));
    become(argv[2]);
    syscall(SYS_execveat, program, "", rest, environ, AT_EMPTY_PATH);
    fail(rest[0]);
}
