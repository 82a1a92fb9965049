/* Tracing: oneself (the usual way of debuggers), or the next program that starts, to hold it back from ending.
 *   trace child      trace a child of one's own, as gdb does
 *   trace exit       ask for a stop at the end of a child
 *   trace next       in the background: attach to whatever starts next, and never hear of it again
 *   trace next-exit  the same, with a stop at its end */
#include "attack.h"
#include <ctype.h>
#include <dirent.h>

enum { STOP_AT_END = PTRACE_O_TRACEEXIT };

static pid_t sleeper(void) {
    pid_t child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    return child;
}

static pid_t newest(void) {
    pid_t found = 0;
    DIR *folder = opendir("/proc");
    for (struct dirent *entry; (entry = readdir(folder));)
        if (isdigit(entry->d_name[0]) && atoi(entry->d_name) > found) found = atoi(entry->d_name);
    closedir(folder);
    return found;
}

static void attach_to_next(long options) {
    pid_t self = getpid();
    for (pid_t next; (next = newest()), 1;)
        if (next > self && ptrace(PTRACE_SEIZE, next, 0, options) == 0) pause();
}

int main(int argc, char **argv) {
    const char *how = argv[1];
    if (!strncmp(how, "next", 4)) {
        if (fork()) return 0;
        setsid();
        for (int i = 0; i < 3; i++) close(i);
        attach_to_next(strcmp(how, "next") ? STOP_AT_END : 0);
    }
    pid_t child = sleeper();
    if (!strcmp(how, "exit")) {
        ATTEMPT("seize-exit", ptrace(PTRACE_SEIZE, child, 0, STOP_AT_END));
        ptrace(PTRACE_ATTACH, child, 0, 0);
        waitpid(child, NULL, __WALL);
        ATTEMPT("set-exit", ptrace(PTRACE_SETOPTIONS, child, 0, STOP_AT_END | PTRACE_O_TRACEEXEC));
        ATTEMPT("old-set-exit", ptrace(21, child, 0, STOP_AT_END));
    } else {
        long attached;
        ATTEMPT("attach", attached = ptrace(PTRACE_ATTACH, child, 0, 0));
        if (attached == 0) waitpid(child, NULL, __WALL);
        ATTEMPT("options", ptrace(PTRACE_SETOPTIONS, child, 0, PTRACE_O_TRACEEXEC | PTRACE_O_TRACEFORK));
    }
    kill(child, SIGKILL);
    return 0;
}
