/* What can be learnt of an episode's processes from its /proc: who descends from a job, how much memory all hold. */
#include "helper.h"
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PROCESSES_LIMIT = 8192 };
static struct process { pid_t id, parent, session; unsigned long long started; bool dead, doomed; } processes[PROCESSES_LIMIT];
static size_t process_count;

static ssize_t read_text(const char *name, const char *file, char *text, size_t size) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%.16s/%s", name, file);
    int handle = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = handle < 0 ? -1 : read(handle, text, size - 1);
    if (handle >= 0) close(handle);
    if (got >= 0) text[got] = 0;
    return got;
}

static void each_process(void (*visit)(const char *name, void *data), void *data) {
    DIR *folder = opendir("/proc");
    if (!folder) return;
    for (struct dirent *entry; (entry = readdir(folder));)
        if (isdigit(entry->d_name[0]) && strcmp(entry->d_name, "1")) visit(entry->d_name, data);
    closedir(folder);
}

static void note_process(const char *name, void *data) {
    char text[1024], state;
    struct process *process = &processes[process_count];
    (void)data;
    if (process_count == PROCESSES_LIMIT || read_text(name, "stat", text, sizeof text) <= 0) return;
    char *after_name = strrchr(text, ')'); /* the name may hold anything, brackets and blanks too */
    memset(process, 0, sizeof *process);
    process->id = atoi(name);
    if (after_name && sscanf(after_name + 2, "%c %d %*d %d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
                             &state, &process->parent, &process->session, &process->started) == 4) {
        process->dead = state == 'Z' || state == 'X';
        process_count++;
    }
}

static unsigned long long start_of(pid_t leader) {
    for (size_t i = 0; i < process_count; i++)
        if (processes[i].id == leader) return processes[i].started;
    return 0;
}

static bool is_doomed(pid_t id) {
    for (size_t i = 0; i < process_count; i++)
        if (processes[i].id == id) return processes[i].doomed;
    return false;
}

/* Kill a job: its session, orphans born since it began (daemons that left the session), and all that descend from them.
 * Returns how many were still alive: call again until none is. */
size_t kill_job(pid_t leader) {
    size_t killed = 0;
    process_count = 0;
    each_process(note_process, NULL);
    unsigned long long began = start_of(leader);
    for (size_t i = 0; i < process_count; i++)
        processes[i].doomed = processes[i].session == leader || (processes[i].parent == 1 && processes[i].started >= began);
    for (bool grown = true; grown;) {
        grown = false;
        for (size_t i = 0; i < process_count; i++)
            if (!processes[i].doomed && is_doomed(processes[i].parent)) grown = processes[i].doomed = true;
    }
    for (size_t i = 0; i < process_count; i++)
        if (processes[i].doomed && !processes[i].dead && kill(processes[i].id, SIGKILL) == 0) killed++;
    return killed;
}

static void add_resident(const char *name, void *sum) {
    char text[128];
    unsigned long long size, resident;
    if (read_text(name, "statm", text, sizeof text) > 0 && sscanf(text, "%llu %llu", &size, &resident) == 2)
        *(uint64_t *)sum += resident * sysconf(_SC_PAGESIZE);
}

uint64_t resident_bytes(void) {
    uint64_t sum = 0;
    each_process(add_resident, &sum);
    return sum;
}
