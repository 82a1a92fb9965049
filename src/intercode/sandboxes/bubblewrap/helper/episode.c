/* Set up one episode: file system, /dev, /proc, network, user namespace; then become its process 1.
 * Runs in a fresh child of the zygote, in mount, process, network, IPC and host name namespaces of its own.
 * The order is the kernel's: what needs capabilities over the outer user namespace comes before the inner one. */
#include "helper.h"

enum { SPARE = 64 }; /* inodes, and pages */

static void bind_path(const char *from, const char *to) { CHECK(mount(from, to, NULL, MS_BIND, NULL)); }

static void make_file(const char *path) {
    int file = open(path, O_CREAT | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (file < 0) fail(path);
    close(file);
}

static int open_folder(const char *path) {
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) fail(path);
    return folder;
}

static void copy_into(int from, const char *folder, struct copy how) {
    int to = open_folder(folder);
    if (copy_tree(from, to, how) < 0) fail("copying a layer or a snapshot");
    close(to);
}

/* Where all that an episode writes is kept: a tmpfs, or folder /scratch/ID of the host (kernels before 6.6, whose tmpfs
 * has no user attributes for overlayfs to keep its marks in). */
void mount_stage(uint32_t id, uint64_t disk, uint64_t inodes) {
    char text[96];
    if (id) snprintf(text, sizeof text, "/scratch/%u", id);
    else snprintf(text, sizeof text, "size=%llu,nr_inodes=%llu,mode=0755", (unsigned long long)disk, (unsigned long long)inodes);
    if (id) CHECK(mount(text, "/stage", NULL, MS_BIND, NULL));
    else CHECK(mount("tmpfs", "/stage", "tmpfs", MS_NOSUID | MS_NODEV, text));
}

/* What goes on from a snapshot may have used up all its disk, and setting it up takes some more for a moment: the stage is
 * mounted with SPARE room, and this takes it back. */
static void take_spare_back(const struct request *request) {
    char text[96];
    if (request->id || !(request->flags & GOES_ON)) return;
    snprintf(text, sizeof text, "size=%llu,nr_inodes=%llu", (unsigned long long)request->disk, (unsigned long long)request->inodes);
    CHECK(mount(NULL, "/stage", NULL, MS_REMOUNT | MS_NOSUID | MS_NODEV, text));
}

/* Layers that get their times (or an order of their own) for this episode stand as copies in l0, l1, … */
static void copy_layers(const struct request *request) {
    struct copy how = {request->stamp, request->shuffle};
    for (uint32_t i = 0; i < request->layers; i++) {
        char from[32], to[16];
        if (!(request->copied >> i & 1)) continue;
        snprintf(from, sizeof from, "/image/%u", i);
        snprintf(to, sizeof to, "l%u", i);
        CHECK(mkdir(to, 0755));
        int source = open_folder(from);
        copy_into(source, to, how);
        close(source);
    }
}

static void mount_overlay(const struct request *request) {
    char options[LAYERS_LIMIT * 16 + 128] = "userxattr,upperdir=u,workdir=w,lowerdir=";
    for (uint32_t i = request->layers; i-- > 0;) { /* overlayfs wants the highest first */
        char one[32];
        snprintf(one, sizeof one, request->copied >> i & 1 ? "l%u%s" : "/image/%u%s", i, i ? ":" : "");
        strcat(options, one);
    }
    strcat(options, request->layers ? ":b" : "b");
    CHECK(mount("overlay", "m", "overlay", MS_NOSUID | MS_NODEV, options));
}

/* What is mounted later needs folders to be mounted on. They form a lowest layer, so that they are no change of ours. */
static void make_mount_points(const struct request *request, const char *target) {
    CHECK(mkdir("b", 0755));
    CHECK(mkdir("b/dev", 0755));
    CHECK(mkdir("b/proc", 0555));
    for (uint32_t i = 0; i < request->binds; i++, target += strlen(target) + 1) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "b/%s", target);
        make_parents(path);
        mkdir(path, 0755);
    }
}

/* Refuse what mounts below would follow out of the root: an image or a snapshot may hold a link in a folder's place. */
static void want_folder(const char *name) {
    struct stat status;
    if (lstat(name, &status) < 0 || !S_ISDIR(status.st_mode)) {
        errno = ENOTDIR;
        fail(name);
    }
}

static void mount_devices(void) {
    static const char *const nodes[] = {"null", "zero", "full", "random", "urandom", "tty"};
    want_folder("dev");
    CHECK(mount("tmpfs", "dev", "tmpfs", MS_NOSUID | MS_NOEXEC, "size=64k,nr_inodes=64,mode=0755"));
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        char from[32], to[32];
        snprintf(from, sizeof from, "/dev/%s", nodes[i]);
        snprintf(to, sizeof to, "dev/%s", nodes[i]);
        make_file(to);
        bind_path(from, to);
    }
    CHECK(mkdir("dev/pts", 0755));
    CHECK(mount("devpts", "dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620,max=256"));
    CHECK(mkdir("dev/shm", 01777));
    CHECK(mkdir("../shm", 01777));
    bind_path("../shm", "dev/shm"); /* counts against the episode's disk limit */
    static const char *const links[][2] = {
        {"pts/ptmx", "dev/ptmx"}, {"/proc/self/fd", "dev/fd"}, {"fd/0", "dev/stdin"}, {"fd/1", "dev/stdout"}, {"fd/2", "dev/stderr"}};
    for (size_t i = 0; i < 5; i++) CHECK(symlink(links[i][0], links[i][1]));
}

static void mount_processes(bool watched) {
    static const char *const read_only[] = {"proc/1", "proc/sys", "proc/irq", "proc/bus", "proc/fs", "proc/acpi", "proc/scsi"};
    static const char *const hidden[] = {"proc/kcore", "proc/keys", "proc/key-users", "proc/config.gz", "proc/kmsg",
        "proc/timer_list", "proc/sched_debug", "proc/latency_stats", "proc/sysrq-trigger", "proc/kpagecount", "proc/kpageflags", "proc/locks"};
    want_folder("proc");
    /* process 1 cannot be looked into, so it is not shown either: `find /` meets nothing that even root may not read */
    CHECK(mount("proc", "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, "hidepid=2"));
    if (watched) bound_sockets();
    for (size_t i = 0; i < sizeof read_only / sizeof *read_only; i++)
        if (mount(read_only[i], read_only[i], NULL, MS_BIND | MS_REC, NULL) == 0)
            CHECK(mount(NULL, read_only[i], NULL, MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL));
        else if (errno != ENOENT) fail(read_only[i]);
    if (mount("../b/dev", "proc/tty/driver", NULL, MS_BIND, NULL) < 0 && errno != ENOENT) fail("proc/tty/driver");
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        if (mount("dev/null", hidden[i], NULL, MS_BIND, NULL) < 0 && errno != ENOENT) fail(hidden[i]);
}

/* Folders of the machine that the image shows as they are (the `host` image's /usr), read-only. Not bound but under an
 * overlay of the episode's own (an empty folder is its second layer, since it wants two): watches and locks are then on
 * inodes that nobody else has, and reading leaves no time of access outside. */
static void mount_binds(const struct request *request, const char *target) {
    for (uint32_t i = 0; i < request->binds; i++, target += strlen(target) + 1) {
        char options[64];
        snprintf(options, sizeof options, "lowerdir=/bind/%u:../b/dev", i);
        while (*target == '/') target++;
        want_folder(target);
        if (mount("overlay", target, "overlay", MS_RDONLY | MS_NOSUID | MS_NODEV, options) < 0)
            fail("an overlay over a folder of this machine's (its file system cannot be one's lower layer)");
    }
}

static void raise_loopback(void) {
    struct ifreq interface = {.ifr_flags = IFF_UP | IFF_RUNNING};
    int handle = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    CHECK(handle);
    strcpy(interface.ifr_name, "lo");
    CHECK(ioctl(handle, SIOCSIFFLAGS, &interface));
    close(handle);
}

/* A user namespace of the episode's own. `mapper` is the sibling that stayed outside and may write our maps. */
static void enter_user_namespace(int mapper) {
    char answer;
    CHECK(unshare(CLONE_NEWUSER));
    if (write(mapper, "m", 1) != 1 || read(mapper, &answer, 1) != 1) {
        errno = EPERM;
        fail("mapping users in the inner user namespace");
    }
}

/* Two of them: the outer one, where nothing is limited yet, counts the processes of this episode apart from all others;
 * the inner one takes our limits as its ceiling, so that no change of user in it leads past them. */
static void enter_user_namespaces(const struct request *request, int mapper) {
    enter_user_namespace(mapper);
    limit_resources(request);
    enter_user_namespace(mapper);
    close(mapper);
}

void play_episode(const struct request *request, const char *strings, struct links links) {
    const char *hostname = strings, *targets = strings + strlen(strings) + 1;
    int lowers[LAYERS_LIMIT];
    failure_socket = links.socket;
    CHECK(mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL));
    uint64_t spare = request->flags & GOES_ON ? SPARE : 0;
    mount_stage(request->id, request->disk + spare * 4096, request->inodes + spare);
    CHECK(chdir("/stage"));
    CHECK(mkdir("u", 0755));
    CHECK(mkdir("w", 0755));
    CHECK(mkdir("m", 0755));
    copy_layers(request);
    struct timespec now = {request->stamp / 1000000000, request->stamp % 1000000000}, began[2] = {now, now};
    CHECK(utimensat(AT_FDCWD, "u", began, 0)); /* the root's own time is the start of the episode, too */
    if (links.snapshot >= 0) copy_into(links.snapshot, "u", (struct copy){0, 0});
    make_mount_points(request, targets);
    mount_overlay(request);
    int upper = open_folder("u");
    for (uint32_t i = 0; i < request->layers; i++) {
        char path[32];
        snprintf(path, sizeof path, request->copied >> i & 1 ? "l%u" : "/image/%u", i);
        lowers[i] = open_folder(path);
    }
    CHECK(chdir("m"));
    mount_devices();
    mount_processes(request->resident);
    mount_binds(request, targets);
    take_spare_back(request);
    CHECK(syscall(SYS_pivot_root, ".", "."));
    CHECK(umount2(".", MNT_DETACH)); /* the outer root, stacked under ours */
    CHECK(chdir("/"));
    CHECK(sethostname(hostname, strlen(hostname)));
    raise_loopback();
    send_reply(links.socket, 'U', 0, 0, &upper, 1);
    enter_user_namespaces(request, links.mapper);
    drop_capabilities();
    filter_system_calls();
    run_jobs(links.socket, (struct layers){upper, request->layers, lowers}, links.group, request->resident);
}
