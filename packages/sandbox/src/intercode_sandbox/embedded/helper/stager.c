/* The stager: for root, on kernels before 6.6. Their tmpfs holds no user attributes, only trusted ones, and overlayfs
 * uses those only if whoever mounts it has its rights over the whole machine. So a process that has kept a few of root's
 * rights mounts the overlays, outside bubblewrap, and hands them over as descriptors; episodes have no word with it.
 * It is no longer root: what it makes belongs to the sandbox's root, and what it can see is the image and no more. */
#include "helper.h"

/* The session's files are copied up, owned and marked with these; and CAP_SYS_ADMIN also mounts. */
static void keep_capabilities(void) {
    static const int kept[] = {CAP_SYS_ADMIN, CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER, CAP_FSETID, CAP_MKNOD, CAP_SETFCAP};
    uint64_t mask = 0;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) mask |= 1ull << kept[i];
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    uint32_t low = mask, high = mask >> 32;
    struct __user_cap_data_struct data[2] = {{low, low, 0}, {high, high, 0}};
    CHECK(syscall(__NR_capset, &header, data));
}

/* In a mount namespace that ends with this process; what it has mounted lives on in the descriptor. */
static void make_stage(const struct request *request, const char *strings, const int *descriptors) {
    failure_socket = descriptors[0];
    CHECK(unshare(CLONE_NEWNS));
    CHECK(mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL));
    lay_stage(request, strings + strlen(strings) + 1, request->flags & GOES_ON ? descriptors[1] : -1);
    CHECK(chdir("/"));
    int tree = syscall(SYS_open_tree, AT_FDCWD, "/stage", CLONE_TREE | O_CLOEXEC | AT_RECURSIVE);
    CHECK(tree);
    send_reply(descriptors[0], 'T', 0, 0, &tree, 1);
    _exit(0);
}

static void serve_stage(int control, const struct request *request, const char *strings, const int *descriptors, int count) {
    int wanted = request->kind == 'S' ? 2 : 1 + !!(request->flags & GOES_ON);
    if ((request->kind != 'N' && request->kind != 'S') || count != wanted || request->layers > LAYERS_LIMIT) return;
    pid_t child = fork();
    if (child == 0) {
        close(control);
        if (request->kind == 'S') take_snapshot(0, descriptors[0], descriptors[1]);
        else make_stage(request, strings, descriptors);
    }
    if (child < 0) send_reply(descriptors[0], 'F', request->id, errno, NULL, 0);
}

/* stages ID USERNS FOLDER SOCKET COUNT (MARK PATH)…: as root, show each PATH as FOLDER/image/0, FOLDER/image/1, …, make
 * FOLDER our root, become ID, and make stages and snapshots on request (see helper.h). */
int serve_stages(int argc, char **argv) {
    if (argc < 7) return 2;
    int socket = atoi(argv[5]), count = atoi(argv[6]);
    if (count > LAYERS_LIMIT || argc != 7 + 2 * count) return 2;
    failure_socket = socket;
    show_mounts(argv[4], "image/", count, argv + 7, atoi(argv[3]));
    CHECK(mkdir("stage", 0755));
    CHECK(syscall(SYS_pivot_root, ".", ".")); /* what is left is quick to copy into a namespace for each stage */
    CHECK(umount2(".", MNT_DETACH));
    CHECK(chdir("/"));
    CHECK(prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0));
    become(argv[2]);
    keep_capabilities();
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    serve(socket, serve_stage);
}
