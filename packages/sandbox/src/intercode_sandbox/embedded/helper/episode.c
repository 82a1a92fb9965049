/* Set up one episode: file system, /dev, /proc, network, user namespace; then become its process 1.
 * Runs in a fresh child of the zygote, in mount, process, network, IPC and host name namespaces of its own.
 * The order is the kernel's: what needs capabilities over the outer user namespace comes before the inner one. */
#include "helper.h"

static void bind_path(const char *from, const char *to) { CHECK(mount(from, to, NULL, MS_BIND, NULL)); }

static void make_file(const char *path) {
    int file = open(path, O_CREAT | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (file < 0) fail(path);
    close(file);
}

/* Refuse what mounts below would follow out of the root: an image or a snapshot may hold a link in a folder's place. */
static void want_folder(const char *name) {
    struct stat status;
    if (lstat(name, &status) < 0 || !S_ISDIR(status.st_mode)) {
        errno = ENOTDIR;
        fail(name);
    }
}

const char *const devices[DEVICES] = {"null", "zero", "full", "random", "urandom", "tty"};

static void mount_devices(void) {
    want_folder("dev");
    CHECK(mount("tmpfs", "dev", "tmpfs", MS_NOSUID | MS_NOEXEC, "size=1m,nr_inodes=64,mode=0755"));
    for (size_t i = 0; i < DEVICES; i++) {
        char from[32], to[32];
        snprintf(from, sizeof from, "/dev/%s", devices[i]);
        snprintf(to, sizeof to, "dev/%s", devices[i]);
        make_file(to);
        bind_path(from, to);
    }
    CHECK(mkdir("dev/pts", 0755));
    CHECK(mount("devpts", "dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620,max=256"));
    CHECK(mkdir("dev/shm", 01777));
    bind_path("../shm", "dev/shm");
    static const char *const links[][2] = {
        {"pts/ptmx", "dev/ptmx"}, {"/proc/self/fd", "dev/fd"}, {"fd/0", "dev/stdin"}, {"fd/1", "dev/stdout"}, {"fd/2", "dev/stderr"}};
    for (size_t i = 0; i < 5; i++) CHECK(symlink(links[i][0], links[i][1]));
}

/* Whoever is in the episode may listen on any port of its loopback device: its network namespace is the outer user
 * namespace's, for which the capabilities that root keeps count for nothing. Kernels before 4.11 lack the switch. */
static void open_low_ports(void) {
    int file = open("proc/sys/net/ipv4/ip_unprivileged_port_start", O_WRONLY | O_CLOEXEC);
    if (file < 0 && errno == ENOENT) return;
    if (file < 0 || write(file, "0", 1) < 0) fail("the first port that anybody may listen on");
    close(file);
}

static void mount_processes(bool watched) {
    static const char *const read_only[] = {"proc/1", "proc/sys", "proc/irq", "proc/bus", "proc/fs", "proc/acpi", "proc/scsi"};
    static const char *const hidden[] = {"proc/kcore", "proc/keys", "proc/key-users", "proc/config.gz", "proc/kmsg",
        "proc/timer_list", "proc/sched_debug", "proc/latency_stats", "proc/sysrq-trigger", "proc/kpagecount", "proc/kpageflags", "proc/locks"};
    want_folder("proc");
    /* process 1 cannot be looked into, so it is not shown either: `find /` meets nothing that even root may not read */
    CHECK(mount("proc", "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, "hidepid=2"));
    if (watched) bound_sockets();
    open_low_ports();
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

/* Message queues have no place in an episode's files: only process 1 can look into their folder. -1 without them. */
static int open_queues(void) {
    if (mount("mqueue", "../b/proc", "mqueue", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0) {
        if (errno != ENODEV) fail("the folder of message queues");
        return -1;
    }
    return open_folder("../b/proc");
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
    if (request->flags & STAGED) CHECK(syscall(SYS_move_mount, links.given, "", AT_FDCWD, "/stage", FROM_DESCRIPTOR));
    else lay_stage(request, targets, links.given);
    CHECK(chdir("/stage"));
    int upper = open_folder("u"), stage = open_folder(".");
    for (uint32_t i = 0; i < request->layers; i++) {
        char path[32];
        snprintf(path, sizeof path, request->copied >> i & 1 ? "l%u" : "/image/%u", i);
        lowers[i] = open_folder(path);
    }
    CHECK(chdir("m"));
    mount_devices();
    mount_processes(request->resident);
    mount_binds(request, targets);
    int queues = open_queues();
    CHECK(syscall(SYS_pivot_root, ".", "."));
    CHECK(umount2(".", MNT_DETACH)); /* the outer root, stacked under ours */
    CHECK(chdir("/"));
    CHECK(sethostname(hostname, strlen(hostname)));
    raise_loopback();
    enter_user_namespaces(request, links.mapper);
    drop_capabilities();
    if (request->id) forbid_reserving();
    filter_system_calls();
    struct watched watched = {request->resident, request->id ? stage : -1, request->disk, request->inodes};
    run_jobs(links.socket, (struct layers){upper, request->layers, !(request->flags & STAGED), lowers, queues}, links.group, watched);
}
