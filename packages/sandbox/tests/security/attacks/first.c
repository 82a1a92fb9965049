/* What a session's root may try on process 1, which has the same user. */
#include "attack.h"
#include <linux/ioprio.h>

static char there[4096], here[4096];

static void try_memory(void) {
    struct iovec theirs = {there, sizeof there}, ours = {here, sizeof here};
    ATTEMPT("attach", ptrace(PTRACE_ATTACH, 1, NULL, NULL));
    ATTEMPT("seize", ptrace(PTRACE_SEIZE, 1, NULL, NULL));
    ATTEMPT("vm-readv", process_vm_readv(1, &ours, 1, &theirs, 1, 0));
    ATTEMPT("vm-writev", process_vm_writev(1, &ours, 1, &theirs, 1, 0));
    int first = syscall(SYS_pidfd_open, 1, 0);
    for (int file = 0; file < 9; file++) {
        char name[32];
        snprintf(name, sizeof name, "getfd-%d", file);
        ATTEMPT(name, syscall(SYS_pidfd_getfd, first, file, 0));
    }
    ATTEMPT("madvise", syscall(SYS_process_madvise, first, &theirs, 1, 4, 0));
    ATTEMPT("kcmp", syscall(SYS_kcmp, getpid(), 1, 0, 0, 0));
    unsigned long size, *list;
    ATTEMPT("robust-list", syscall(SYS_get_robust_list, 1, &list, &size));
}

static void try_files(void) {
    static const char *const readable[] = {"environ", "mem", "maps", "smaps", "pagemap", "auxv", "syscall", "stack",
        "io", "fdinfo/0", "personality", "exe", "root/etc/passwd", "cwd/etc/passwd", "fd/0", "fd/3", "fd/4", "fd/5", "ns/user",
        "ns/mnt", "ns/pid_for_children", "map_files"};
    static const char *const writable[] = {"mem", "oom_score_adj", "oom_adj", "task/1/oom_score_adj", "clear_refs",
        "coredump_filter", "uid_map", "gid_map", "setgroups", "comm", "timerslack_ns", "sched", "autogroup", "attr/current",
        "make-it-fail"};
    char path[64], name[64];
    for (size_t i = 0; i < sizeof readable / sizeof *readable; i++) {
        snprintf(path, sizeof path, "/proc/1/%s", readable[i]);
        snprintf(name, sizeof name, "read-%s", readable[i]);
        ATTEMPT(name, used(path, O_RDONLY, NULL));
    }
    for (size_t i = 0; i < sizeof writable / sizeof *writable; i++) {
        snprintf(path, sizeof path, "/proc/1/%s", writable[i]);
        snprintf(name, sizeof name, "write-%s", writable[i]);
        ATTEMPT(name, used(path, O_WRONLY, "900"));
    }
}

static void try_resources(void) {
    struct { unsigned size, policy; unsigned long long flags; int nice; unsigned priority; unsigned long long times[3]; }
        attributes = {.size = 48, .policy = SCHED_IDLE};
    struct sched_param parameters = {0};
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    for (int resource = 0; resource < 16; resource++) {
        struct rlimit nothing = {0, 0};
        char name[32];
        snprintf(name, sizeof name, "limit-%d", resource);
        ATTEMPT(name, prlimit(1, resource, &nothing, NULL));
    }
    ATTEMPT("nice", setpriority(PRIO_PROCESS, 1, 19));
    ATTEMPT("nice-user", setpriority(PRIO_USER, 0, 19));
    ATTEMPT("idle", sched_setscheduler(1, SCHED_IDLE, &parameters));
    ATTEMPT("idle-parameters", sched_setparam(1, &parameters));
    ATTEMPT("idle-attributes", syscall(SYS_sched_setattr, 1, &attributes, 0));
    ATTEMPT("pin", sched_setaffinity(1, sizeof one, &one));
    ATTEMPT("disk-idle", syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 1, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_IDLE, 0)));
    ATTEMPT("disk-idle-user", syscall(SYS_ioprio_set, IOPRIO_WHO_USER, 0, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_IDLE, 0)));
    ATTEMPT("move-group", setpgid(1, 1));
}

/* A process 1 gets no signal from below that it does not ask for, not even these. */
static void try_signals(void) {
    union sigval value = {0};
    int first = syscall(SYS_pidfd_open, 1, 0);
    for (int number = 1; number <= 64; number++) {
        kill(1, number);
        syscall(SYS_tkill, 1, number);
        sigqueue(1, number, value);
        syscall(SYS_pidfd_send_signal, first, number, NULL, 0);
    }
}

int main(void) {
    try_memory();
    try_files();
    try_resources();
    try_signals();
    return 0;
}
