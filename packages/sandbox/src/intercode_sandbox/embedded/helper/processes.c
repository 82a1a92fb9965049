/* What can be learnt of an episode's processes from its /proc: who belongs to a job, who works, who stands still. */
#include "helper.h"

enum { ANCESTORS = 512, STOPS = 2000 };

bool read_text(const char *name, const char *file, char *text, size_t size) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%.16s/%s", name, file);
    int handle = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = handle < 0 ? -1 : read(handle, text, size - 1);
    if (handle >= 0) close(handle);
    if (got > 0) text[got] = 0;
    return got > 0;
}

struct process { pid_t parent, session; char state; int threads; unsigned long long started, size; };

static bool read_process(const char *name, struct process *process) {
    char text[1024], *after_name;
    if (!read_text(name, "stat", text, sizeof text) || !(after_name = strrchr(text, ')'))) return false; /* ") R (x" is a name */
    return sscanf(after_name + 2, "%c %d %*d %d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %d %*d %llu %llu",
                  &process->state, &process->parent, &process->session, &process->threads, &process->started, &process->size) == 6;
}

/* Ended, or about to give up all that it has: without memory of its own nothing runs, unless other threads do. */
bool has_ended(const char *name) {
    struct process process;
    return !read_process(name, &process) || (!process.size && process.threads < 2);
}

bool is_asleep(pid_t id) {
    char name[16];
    struct process process;
    snprintf(name, sizeof name, "%d", id);
    return read_process(name, &process) && process.state == 'S';
}

/* Every process but ourselves, by its name in /proc; returns the sum of what `visit` returns. */
uint64_t each_process(uint64_t (*visit)(const char *name, const void *data), const void *data) {
    uint64_t sum = 0;
    DIR *folder = opendir("/proc");
    if (!folder) return 0;
    for (struct dirent *entry; (entry = readdir(folder));)
        if (isdigit(entry->d_name[0]) && strcmp(entry->d_name, "1")) sum += visit(entry->d_name, data);
    closedir(folder);
    return sum;
}

struct job { pid_t leader; unsigned long long began; struct others others; };

static bool is_among(pid_t process, struct others others) {
    for (int i = 0; i < others.count; i++)
        if (others.leaders[i] == process) return true;
    return false;
}

/* Whether a process belongs to a job that goes on: by its session, or as a descendant. Nobody can join another's session or
 * become the child of one who lives already. Whoever has left the session and lost its parent cannot be told from ours. */
static bool is_of_others(pid_t id, struct process process, struct others others) {
    for (int depth = 0; depth < ANCESTORS; depth++) {
        char name[16];
        if (is_among(id, others) || is_among(process.session, others)) return true; /* a fresh leader has no session yet */
        if ((id = process.parent) <= 1) return false;
        snprintf(name, sizeof name, "%d", id);
        if (!read_process(name, &process)) return false;
    }
    return false;
}

static uint64_t kill_member(const char *name, const void *data) {
    const struct job *job = data;
    struct process process;
    if (!read_process(name, &process)) return 0;
    if (strchr("ZX", process.state) && process.threads < 2) return 0; /* its first thread may have ended before the others */
    if (process.session != job->leader && (process.started < job->began || is_of_others(atoi(name), process, job->others))) return 0;
    return kill(atoi(name), SIGKILL) == 0;
}

/* Kill a job: its session, and whatever was started since it began (daemons leave the session), but for what belongs to
 * others that go on. Returns how many were still alive: call again until none is. */
size_t kill_job(pid_t leader, struct timespec began, struct others others) {
    uint64_t second = sysconf(_SC_CLK_TCK);
    struct job job = {leader, began.tv_sec * second + began.tv_nsec / (1000000000 / second), others};
    kill(leader, SIGKILL); /* it has nothing to read in /proc before it executes: somebody may have stopped it there */
    return each_process(kill_member, &job);
}

static uint64_t threads_of(const char *name, const void *states) {
    char path[64], text[1024], *after_name;
    uint64_t found = 0;
    snprintf(path, sizeof path, "/proc/%.16s/task", name);
    DIR *folder = opendir(path);
    if (!folder) return 0; /* ended */
    for (struct dirent *entry; (entry = readdir(folder));) {
        snprintf(path, sizeof path, "task/%.16s/stat", entry->d_name);
        if (!isdigit(entry->d_name[0]) || !read_text(name, path, text, sizeof text)) continue;
        after_name = strrchr(text, ')');
        found += after_name && strchr(states, after_name[2]);
    }
    closedir(folder);
    return found;
}

/* The threads of all processes but ourselves that are in one of these states (see proc_pid_stat(5)). */
uint64_t count_threads(const char *states) { return each_process(threads_of, states); }

static uint64_t ticks_of(const char *name, const void *nothing) {
    char text[1024], *after_name;
    unsigned long long own, kernel, waited, waited_kernel;
    (void)nothing;
    if (!read_text(name, "stat", text, sizeof text) || !(after_name = strrchr(text, ')'))) return 0;
    int found = sscanf(after_name + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %llu %llu", &own, &kernel, &waited, &waited_kernel);
    return found == 4 ? own + kernel + waited + waited_kernel : 0;
}

/* What all processes have had of a processor so far, the dead included; not those whose parents did not want to know. */
uint64_t used_microseconds(void) {
    struct rusage dead;
    getrusage(RUSAGE_CHILDREN, &dead);
    uint64_t seconds = dead.ru_utime.tv_sec + dead.ru_stime.tv_sec, rest = dead.ru_utime.tv_usec + dead.ru_stime.tv_usec;
    return seconds * 1000000 + rest + each_process(ticks_of, NULL) * (1000000 / sysconf(_SC_CLK_TCK));
}

/* Stop all processes but ourselves; returns how many threads are not still after a while. With a signal pending none can
 * fork. But one that has not come to its own yet may send SIGCONT to others: so they are stopped until all are seen to
 * stand. Whoever waits in the kernel (D) runs nothing of its own, and stops when it comes back. */
uint64_t stop_all(void) {
    uint64_t moving = 1;
    for (int rounds = 0; rounds < STOPS && moving; rounds++) {
        if (rounds) usleep(rounds < 20 ? 50 : 2000);
        kill(-1, SIGSTOP);
        moving = count_threads("RS");
    }
    return moving;
}
