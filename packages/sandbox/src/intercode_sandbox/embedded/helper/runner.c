/* Process 1 of an episode: starts jobs, tells how they ended, opens files for the host, kills. It does what the host
 * asks and nothing else; when the host goes away it ends, and with it every process of the episode. */
#include "helper.h"

enum { WATCH_MILLISECONDS = 50, HIDDEN_LIMIT = 16, LITTLE = 64 << 10, FIRST_PAUSE = 5, LONGEST_PAUSE = 100, GROUPS_LIMIT = 256 };
static struct { uint32_t id; pid_t leader; struct timespec began; int output; } jobs[JOBS_LIMIT]; /* output: -1: not held */
static int host, empty_input;
static struct job_group job_group;
static struct layers layers;

/* Whether the kernel has killed somebody of our group for memory since we last asked. */
static bool ran_out_of_memory(void) {
    static unsigned long long before;
    char text[512] = "", *found;
    int file = openat(job_group.descriptor, "memory.events", O_RDONLY | O_CLOEXEC);
    if (file < 0 || read(file, text, sizeof text - 1) < 0) text[0] = 0;
    if (file >= 0) close(file);
    unsigned long long kills = (found = strstr(text, "\noom_kill ")) ? strtoull(found + 10, NULL, 10) : 0;
    bool more = kills > before;
    before = kills;
    return more;
}

static uint64_t microseconds(struct timeval time) { return time.tv_sec * 1000000ull + time.tv_usec; }

static void send_end(uint32_t job, int status, int place, bool quiet, const struct rusage *used) {
    struct { struct reply reply; char folder[PATH_MAX]; } message = {.reply = {.kind = 'E', .id = job, .status = status, .quiet = quiet ? QUIET : 0}};
    int output = jobs[place].output;
    message.reply.worked = microseconds(used->ru_utime) + microseconds(used->ru_stime);
    message.reply.memory = (uint64_t)used->ru_maxrss << 10;
    message.reply.folder = take_folder(place, message.folder);
    if (quiet) {
        message.reply.version = version_of(layers.upper, layers.listed);
        send_with_listing(host, &message.reply, message.folder, output);
    } else send_message(host, &message, sizeof message.reply + message.reply.folder, &output, output >= 0);
    if (output >= 0) close(output);
}

/* Collect the dead. Children that are no job are orphans that came to us. Returns false when none is left alive, which the
 * ends of jobs then say too: the host need not kill what is not there, nor look twice at files that nobody can change.
 * When a group is out of memory the kernel kills all in it, one after the other. The next job must not be born among them. */
static bool reap(bool wait_for_all) {
    int status, count = 0, statuses[JOBS_LIMIT], places[JOBS_LIMIT];
    struct rusage used, uses[JOBS_LIMIT];
    pid_t dead;
    bool grouped = job_group.descriptor >= 0 && !job_group.entered, emptied = false;
    while ((dead = wait4(-1, &status, __WALL | (wait_for_all ? 0 : WNOHANG), &used)) > 0) {
        if (grouped && !emptied && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && ran_out_of_memory()) {
            kill(-1, SIGKILL);
            emptied = wait_for_all = true;
        }
        for (int i = 0; i < JOBS_LIMIT; i++)
            if (jobs[i].leader == dead) {
                jobs[i].leader = 0;
                places[count] = i, uses[count] = used, statuses[count++] = status;
            }
    }
    for (int i = 0; i < count; i++) send_end(jobs[places[i]].id, statuses[i], places[i], dead < 0, &uses[i]);
    if (emptied) ran_out_of_memory(); /* what was counted meanwhile is nobody's who comes now */
    return dead == 0;
}

static struct watched watched;
static uint64_t excess; /* bytes on the disk over the limit, at the last look; 1 for too many files */

/* Who starts on a full disk can remove, and make small files; none, once that has added up: commands that end between two
 * looks would fill any disk. */
static void limit_growth(void) {
    rlim_t most = excess > watched.disk ? 0 : LITTLE;
    struct rlimit growth = {most, most};
    setrlimit(RLIMIT_FSIZE, &growth);
}

/* Take on "uid:gid:group,…"; "" is root, as we are. False: there is no such user here. */
static bool become_user(const char *identity) {
    if (!*identity) return true;
    char *rest;
    gid_t groups[GROUPS_LIMIT];
    int count = 0;
    uid_t user = strtoul(identity, &rest, 10);
    gid_t group = *rest == ':' ? strtoul(rest + 1, &rest, 10) : user;
    while (*rest && rest[1] && count < GROUPS_LIMIT) groups[count++] = strtoul(rest + 1, &rest, 10);
    return setgroups(count, groups) == 0 && setresgid(group, group, group) == 0 && setresuid(user, user, user) == 0;
}

/* In the child. Returns why it could not execute the program. */
static int become_job(const char *folder, const char *identity, char **argv, char **environment, const int *streams) {
    /* Without a group the kernel's memory for pipes and sockets is only looked at: fewer can hold less between two looks.
     * We keep more ourselves: descriptors underway in any agent's sockets count against ours. */
    rlim_t most = watched.resident ? WATCHED_FILES : 1024;
    struct rlimit files = {most, most};
    sigset_t none;
    sigemptyset(&none);
    setrlimit(RLIMIT_NOFILE, &files);
    if (excess) limit_growth();
    sigprocmask(SIG_SETMASK, &none, NULL);
    setsid();
    umask(022);
    if (job_group.entered && write(job_group.descriptor, "0", 1) < 0) return errno;
    if (job_group.second >= 0 && write(job_group.second, "0", 1) < 0) return errno;
    if (!become_user(identity)) return errno | BAD_USER;
    if (chdir(folder) < 0) return errno | BAD_FOLDER;
    if (job_group.descriptor >= 0 && !job_group.entered) forbid_clone3();
    for (int i = 0; i < 3; i++) dup2(streams[i], i);
    ioctl(0, TIOCSCTTY, 0); /* where its input is a terminal, that is the job's */
    syscall(SYS_close_range, 3, ~0u, CLOSE_RANGE_CLOEXEC); /* one is still needed, to say what went wrong */
    environ = environment; /* its PATH is the one to look in */
    execvp(argv[0], argv);
    return errno;
}

/* The place of job `id` (0: a free place), or -1. */
static int find_job(uint32_t id) {
    for (int i = 0; i < JOBS_LIMIT; i++)
        if (id ? jobs[i].leader && jobs[i].id == id : !jobs[i].leader) return i;
    return -1;
}

/* Not vfork: an older process could stop the child before it executes, and us with it. We ourselves are in no session's
 * control group: whoever fills one up must not be able to starve us. In version 1 of control groups a thread that moves
 * itself keeps nobody waiting; in version 2 every move keeps the whole machine waiting, but being born there does not. */
static pid_t start_process(uint64_t flags) {
    struct clone_args arguments = {.flags = CLONE_INTO_CGROUP | flags, .exit_signal = SIGCHLD, .cgroup = job_group.descriptor};
    return job_group.descriptor < 0 || job_group.entered ? syscall(SYS_clone, SIGCHLD | flags, 0, 0, 0, 0)
                                                         : syscall(SYS_clone3, &arguments, sizeof arguments);
}

static uint64_t excess_of(const struct usage *now) {
    if (now->bytes > watched.disk + watched.disk / 16) return now->bytes - watched.disk;
    return now->files > watched.inodes;
}

struct job { uint32_t id; const char *folder, *identity; char **argv, **environment; const int *streams; };

static void live(const void *what) {
    const struct job *job = what;
    send_reply(host, 'X', job->id, -become_job(job->folder, job->identity, job->argv, job->environment, job->streams), NULL, 0);
    _exit(127);
}

/* `output`: both ends of what is held for the host, or -1. */
static void start_job(const struct order *order, char *text, const int *descriptors, int output[2]) {
    const char *folder = text, *identity = folder + strlen(folder) + 1;
    text = (char *)identity + strlen(identity) + 1;
    char **argv = take_strings(&text, order->a), **environment = take_strings(&text, order->b);
    bool held = order->d & HELD;
    int streams[3] = {order->c ? descriptors[0] : empty_input, held ? output[1] : descriptors[order->c],
                      held ? output[1] : descriptors[order->c + 1]};
    int place = find_job(0);
    pid_t child = -1;
    struct timespec now;
    if (excess) { /* still? */
        struct usage usage = disk_usage(watched.stage);
        excess = excess_of(&usage);
    }
    mark_pristine();
    clock_gettime(CLOCK_BOOTTIME, &now);
    struct job job = {order->id, folder, identity, argv, environment, streams};
    if (place < 0) errno = EAGAIN;
    else child = start_kept(place, start_process, live, &job);
    if (child > 0) {
        jobs[place].id = order->id, jobs[place].leader = child, jobs[place].began = now;
        jobs[place].output = output[0], output[0] = -1; /* the job's now */
    }
    else send_reply(host, 'X', order->id, -errno, NULL, 0);
    free(argv);
    free(environment);
}

static void start_on_order(const struct order *order, char *text, const int *descriptors, int count) {
    int streams = (order->c ? 1 : 0) + (order->d & HELD ? 0 : 2), output[2] = {-1, -1};
    bool in_file = order->d & IN_FILE;
    if (count != streams + in_file) return;
    char *strings = in_file ? read_strings(descriptors[streams]) : text;
    if (!strings || (order->d & HELD && !open_output(output))) send_reply(host, 'X', order->id, -errno, NULL, 0);
    else start_job(order, strings, descriptors, output);
    for (int i = 0; i < 2; i++)
        if (output[i] >= 0) close(output[i]);
    if (in_file) free(strings);
}

/* All jobs but the one at `place`: room for each is the caller's. */
static struct others jobs_beside(int place, pid_t *leaders) {
    int count = 0;
    for (int i = 0; i < JOBS_LIMIT; i++)
        if (i != place && jobs[i].leader) leaders[count++] = jobs[i].leader;
    return (struct others){leaders, count};
}

static bool stopped; /* by the host, which has not let them go on yet */

static void kill_on_order(const struct order *order) {
    if (!order->id) {
        do kill(-1, SIGKILL); /* everything but us */
        while (reap(true));
        send_reply(host, 'K', 0, 0, NULL, 0);
        return;
    }
    int place = find_job(order->id);
    if (place < 0) return;
    pid_t leaders[JOBS_LIMIT];
    struct others others = jobs_beside(place, leaders);
    kill(-1, SIGSTOP); /* with a signal pending nothing can fork: no chain of processes outruns us */
    for (int rounds = 0; rounds < 200 && kill_job(jobs[place].leader, jobs[place].began, others); rounds++) usleep(500);
    if (!stopped) kill(-1, SIGCONT);
}

/* Where: 0 the episode's root as its programs see it, 1 the upper layer, 2 + i lower layer i. Layers are read without
 * following any link; O_NONBLOCK keeps a pipe laid out as a trap from holding us. */
static void open_on_order(const struct order *order, char *path) {
    if (order->a > 1u + layers.count) return send_reply(host, 'O', order->id, -EINVAL, NULL, 0);
    int from = order->a == 0 ? AT_FDCWD : order->a == 1 ? layers.upper : layers.lowers[order->a - 2];
    struct open_how how = {
        .flags = order->b | O_CLOEXEC | (order->b & O_PATH ? 0 : O_NONBLOCK | O_NOCTTY),
        .mode = order->b & O_CREAT ? order->c : 0,
        .resolve = RESOLVE_NO_MAGICLINKS | (order->a ? RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS : 0),
    };
    int file = syscall(SYS_openat2, from, path, &how, sizeof how);
    if (file < 0 && errno == ENOENT && order->d) { /* only now: no link through /proc leads astray */
        make_parents(path);
        file = syscall(SYS_openat2, from, path, &how, sizeof how);
    }
    send_reply(host, 'O', order->id, file < 0 ? -errno : 0, &file, file < 0 ? 0 : 1);
    if (file >= 0) close(file);
}

static void give_socket(const struct order *order) {
    int server = order->a ? listen_on(order->a, order->b) : unconnected();
    send_reply(host, 'L', order->id, server < 0 ? server : 0, &server, server >= 0);
    if (server >= 0) close(server);
}

static void send_work(uint32_t id) {
    struct reply reply = {.kind = 'W', .id = id, .status = count_threads("R"), .version.newest = used_microseconds()};
    send_message(host, &reply, sizeof reply, NULL, 0);
}

static uint64_t count_one(const char *name, const void *none) { return name && !none; }

static void tell_state(uint32_t job, int place) {
    struct { struct reply reply; char folder[PATH_MAX]; } message = {.reply = {.kind = 'Q', .id = job, .status = -1}};
    if (place >= 0) {
        bool asleep = is_asleep(jobs[place].leader); /* before it is asked: who sleeps after that may have said it meanwhile */
        message.reply.status = take_word(jobs[place].leader);
        if (asleep && message.reply.status < 0) message.reply.status = -2;
        message.reply.quiet = each_process(count_one, NULL);
        message.reply.folder = see_folder(place, message.folder);
    }
    send_message(host, &message, sizeof message.reply + message.reply.folder, NULL, 0);
}

static void obey(struct order *order, char *text, const int *descriptors, int count) {
    int place = find_job(order->id);
    switch (order->kind) {
    case 'X': start_on_order(order, text, descriptors, count); break;
    case 'K': kill_on_order(order); break;
    case 'I': if (order->id && place >= 0) kill(-jobs[place].leader, (int)order->a); break;
    case 'O': open_on_order(order, text); break;
    case 'L': give_socket(order); break;
    case 'W': send_work(order->id); break;
    case 'P': send_reply(host, 'P', order->id, is_pristine(layers.queues), NULL, 0); break;
    case 'Q': tell_state(order->id, place); break;
    case 'S': stopped = true; send_reply(host, 'K', 0, stop_all(), NULL, 0); break;
    case 'C': stopped = false; kill(-1, SIGCONT); break;
    }
}

static int64_t milliseconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000ll + now.tv_nsec / 1000000;
}

/* Kill all who hold more than they may together. Who holds much is looked at ten times as often. Returns how many
 * milliseconds there are until the next look. */
static int look_at_memory(uint64_t limit) {
    static int64_t next;
    int64_t now = milliseconds_now();
    if (now < next) return next - now;
    uint64_t held = held_bytes(limit);
    for (int rounds = 0; held > limit && rounds < 1000; rounds++) { /* the dying would be counted next time */
        kill(-1, SIGKILL);
        if (!reap(false)) break;
        usleep(1000);
    }
    int pause = held > limit / 4 ? WATCH_MILLISECONDS / 10 : WATCH_MILLISECONDS;
    next = milliseconds_now() + pause;
    return pause;
}

static bool newcomers;    /* nobody who lives now was there at the last look: what was written since may be others' */
static int disk_pause = WATCH_MILLISECONDS;

/* Who is over the limit can remove; who still writes is killed. Looking takes at most a third of our time. */
static void look_at_disk(void) {
    static struct usage before;
    static int64_t next;
    int64_t began = milliseconds_now();
    if (began < next) return;
    struct usage now = disk_usage(watched.stage);
    excess = excess_of(&now);
    bool grows = !newcomers && (now.bytes > before.bytes || now.files > before.files);
    newcomers = now.closed || now.hidden > HIDDEN_LIMIT || (excess && grows);
    if (newcomers) kill(-1, SIGKILL);
    before = now;
    disk_pause = excess ? WATCH_MILLISECONDS / 10 : WATCH_MILLISECONDS;
    int64_t ended = milliseconds_now(), pause = 2 * (ended - began);
    next = ended + (pause > disk_pause ? pause : disk_pause);
}

/* Give the host what presses to be read, of outputs that we hold. Returns how many milliseconds there are until the next
 * look, which are more the longer a job has run. */
static int look_at_outputs(void) {
    int least = INT_MAX;
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    for (int i = 0; i < JOBS_LIMIT; i++) {
        if (!jobs[i].leader || jobs[i].output < 0) continue;
        int64_t age = (now.tv_sec - jobs[i].began.tv_sec) * 1000ll + (now.tv_nsec - jobs[i].began.tv_nsec) / 1000000;
        if (is_pressing(jobs[i].output, age)) {
            send_reply(host, 'D', jobs[i].id, 0, &jobs[i].output, 1);
            close(jobs[i].output);
            jobs[i].output = -1;
            continue;
        }
        int pause = age / 4 < LONGEST_PAUSE ? FIRST_PAUSE + age / 4 : LONGEST_PAUSE;
        if (pause < least) least = pause;
    }
    return least;
}

static int least_of(int one, int other) { return one < other ? one : other; }

/* How long to wait for orders and deaths before somebody is looked at, -1: as long as it takes. */
static int patience(bool alive) {
    if (!alive) return -1;
    int memory = watched.resident ? look_at_memory(watched.resident) : INT_MAX;
    int disk = watched.stage >= 0 ? disk_pause : INT_MAX;
    int least = least_of(look_at_outputs(), least_of(memory, disk));
    return least == INT_MAX ? -1 : least;
}

void run_jobs(int socket, struct layers seen, struct job_group group, struct watched limits) {
    static union { char bytes[MESSAGE_LIMIT]; struct order order; } message;
    host = socket, layers = seen, job_group = group, watched = limits;
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); /* no tracing us, no reading our /proc */
    sigset_t children;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    sigprocmask(SIG_BLOCK, &children, NULL);
    int deaths = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
    empty_input = open("/dev/null", O_RDONLY | O_CLOEXEC);
    CHECK(deaths);
    CHECK(empty_input);
    send_reply(host, 'R', 0, 0, &layers.upper, 1);
    for (bool alive = false;;) {
        struct pollfd ready[2] = {{host, POLLIN, 0}, {deaths, POLLIN, 0}};
        int count, descriptors[DESCRIPTORS];
        if (poll(ready, 2, patience(alive)) < 0 && errno != EINTR) fail("poll");
        if (watched.stage >= 0 && alive) look_at_disk();
        for (struct signalfd_siginfo information; read(deaths, &information, sizeof information) > 0;) {}
        alive = reap(false);
        newcomers |= !alive;
        if (!ready[0].revents) continue;
        ssize_t size = receive_message(host, message.bytes, sizeof message.bytes - 1, descriptors, &count);
        if (size < (ssize_t)sizeof message.order) _exit(0); /* the host is gone: the kernel ends the rest with us */
        message.bytes[size] = 0;
        obey(&message.order, message.bytes + sizeof message.order, descriptors, count);
        alive = true;
        for (int i = 0; i < count; i++) close(descriptors[i]);
    }
}
