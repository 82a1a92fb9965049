/* The zygote: process 1 of bubblewrap's world, holding every capability in its user namespace and nothing else. It turns
 * each request into an episode or a snapshot, in a child, and is never blocked by one. */
#include "helper.h"

static char user_map[1024], group_map[1024]; /* the identity over all ids that we have */

static void read_identity(const char *path, char *map, size_t size) {
    unsigned long inside, outside, count;
    FILE *file = fopen(path, "re");
    if (!file) fail(path);
    size_t length = 0;
    while (fscanf(file, "%lu %lu %lu", &inside, &outside, &count) == 3 && length + 64 < size)
        length += snprintf(map + length, size - length, "%lu %lu %lu\n", inside, inside, count);
    fclose(file);
}

static pid_t clone_episode(bool grouped) {
    /* CLONE_PARENT: a child of the zygote, although its mapper calls. The exit signal is then inherited. GROUPED episodes
     * keep the zygote's cgroup namespace: the runner may start jobs only in groups that lie within its own. */
    struct clone_args arguments = {
        .flags = CLONE_PARENT | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | (grouped ? 0 : CLONE_NEWCGROUP)};
    return syscall(SYS_clone3, &arguments, sizeof arguments);
}

static void write_maps(pid_t episode) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/uid_map", episode);
    write_file(path, user_map);
    snprintf(path, sizeof path, "/proc/%d/gid_map", episode);
    write_file(path, group_map);
}

/* The mapper: starts the episode and writes the maps of the two user namespaces that it makes, one in the other. */
static void map_episode(const struct request *request, const char *strings, const int *descriptors, int count) {
    bool more = request->flags & (GOES_ON | STAGED), grouped = request->flags & (ENTERS | GROUPED);
    struct job_group group = {grouped ? descriptors[1 + more] : -1, count > 2 + more ? descriptors[2 + more] : -1, request->flags & ENTERS};
    struct links links = {descriptors[0], -1, more ? descriptors[1] : -1, group};
    int pair[2];
    char path[64], word;
    failure_socket = links.socket;
    CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair));
    pid_t episode = clone_episode(request->flags & GROUPED);
    CHECK(episode);
    if (episode == 0) {
        close(pair[0]);
        links.mapper = pair[1];
        play_episode(request, strings, links);
    }
    close(pair[1]);
    snprintf(path, sizeof path, "/proc/%d/ns/user", episode);
    while (read(pair[0], &word, 1) == 1) { /* ends too when the episode has failed, and has said why */
        write_maps(episode);
        int inner = open(path, O_RDONLY | O_CLOEXEC);
        CHECK(setns(inner, CLONE_NEWUSER)); /* only from there can the next map be written */
        close(inner);
        if (write(pair[0], "m", 1) != 1) break;
    }
    _exit(0);
}

static void serve_request(int control, const struct request *request, const char *strings, const int *descriptors, int count) {
    int wanted = request->kind == 'S' ? 2 : 1 + !!(request->flags & (GOES_ON | STAGED)) + !!(request->flags & (ENTERS | GROUPED));
    bool second = request->kind == 'N' && request->flags & ENTERS && count == wanted + 1;
    bool known = (request->kind == 'N' || request->kind == 'S') && (count == wanted || second);
    if (!known || request->layers > LAYERS_LIMIT) return;
    pid_t child = fork();
    if (child == 0) {
        close(control); /* an episode has no business with other episodes */
        if (request->kind == 'S') take_snapshot(request->id, descriptors[0], descriptors[1]);
        else map_episode(request, strings, descriptors, count);
    }
    if (child < 0) send_reply(descriptors[0], 'F', request->id, errno, NULL, 0);
}

/* Until the host is gone: each request to *handle*, which forks. Says first that we are ready. */
void serve(int socket, request_handler *handle) {
    static union { char bytes[MESSAGE_LIMIT]; struct request request; } message;
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files); /* copying takes one for each file of several names */
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    umask(0);
    send_reply(socket, 'R', 0, 0, NULL, 0);
    for (;;) {
        int count, descriptors[DESCRIPTORS];
        struct pollfd ready = {socket, POLLIN, 0};
        int got = poll(&ready, 1, 1000); /* the dead can wait a second */
        while (waitpid(-1, NULL, WNOHANG) > 0) {}
        if (got <= 0) continue;
        ssize_t size = receive_message(socket, message.bytes, sizeof message.bytes - 1, descriptors, &count);
        if (size <= 0) _exit(0); /* the zygote, being process 1, takes all episodes along */
        message.bytes[size] = 0;
        if (size > (ssize_t)sizeof message.request)
            handle(socket, &message.request, message.bytes + sizeof message.request, descriptors, count);
        for (int i = 0; i < count; i++) close(descriptors[i]);
    }
}

/* The devices are the machine's own: whoever may write to one could set its times, for all others to see. Sessions bind
 * them as they are here. */
static void keep_times_of_devices(void) {
    for (size_t i = 0; i < DEVICES; i++) {
        char path[32];
        struct statvfs mounted;
        snprintf(path, sizeof path, "/dev/%s", devices[i]);
        CHECK(statvfs(path, &mounted));
        unsigned long kept = mounted.f_flag & (MS_NOSUID | MS_NODEV | MS_NOEXEC); /* maybe locked */
        CHECK(mount(NULL, path, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY | kept, NULL));
    }
}

void serve_zygote(int socket) {
    failure_socket = socket;
    send_reply(socket, 'R', 0, 0, NULL, 0);
    receive_filter(socket);
    CHECK(unshare(CLONE_NEWCGROUP)); /* by now we are where what sessions see of control groups begins */
    mkdir("/stage", 0700);
    CHECK(mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL));
    keep_times_of_devices();
    read_identity("/proc/self/uid_map", user_map, sizeof user_map);
    read_identity("/proc/self/gid_map", group_map, sizeof group_map);
    serve(socket, serve_request);
}
