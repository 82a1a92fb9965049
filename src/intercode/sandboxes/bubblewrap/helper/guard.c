/* What a process of an episode may still do: resource limits, capabilities, system calls. */
#include "helper.h"

static void limit(int resource, rlim_t value) {
    struct rlimit now, wanted = {value, value};
    getrlimit(resource, &now);
    if (now.rlim_max != RLIM_INFINITY && value > now.rlim_max) wanted.rlim_cur = wanted.rlim_max = now.rlim_max;
    setrlimit(resource, &wanted);
}

/* Stands between the making of two user namespaces (see enter_user_namespaces): what is limited before a namespace is
 * made is the ceiling for all users in it together. */
void limit_resources(const struct request *request) {
    limit(RLIMIT_NPROC, request->processes);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_MEMLOCK, 64 << 10);
    limit(RLIMIT_MSGQUEUE, 1 << 20); /* a queue of the usual size takes 80 KB */
    limit(RLIMIT_SIGPENDING, 4096);
    if (request->address_space) limit(RLIMIT_AS, request->address_space);
}

/* About what Docker leaves to root: enough for chown, su, apt; nothing that reaches beyond the episode. CAP_SYS_PTRACE shows
 * root the processes of its other users; process 1 belongs to the outer user namespace, where it counts for nothing. */
void drop_capabilities(void) {
    static const int kept[] = {CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_FOWNER, CAP_FSETID, CAP_SETUID, CAP_SETGID, CAP_KILL, CAP_NET_BIND_SERVICE, CAP_SYS_PTRACE};
    uint64_t mask = 0;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) mask |= 1ull << kept[i];
    for (int capability = 0; capability < 64; capability++)
        if (!(mask >> capability & 1) && prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) && errno == EINVAL) break;
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    uint32_t low = mask, high = mask >> 32;
    struct __user_cap_data_struct data[2] = {{low, low, 0}, {high, high, 0}}; /* nothing inheritable */
    CHECK(syscall(__NR_capset, &header, data));
}

/* ENOSYS where programs have a way round (they probe), EPERM where there is none. */
static const struct { int number, error; } denied[] = {
    {__NR_clone3, ENOSYS}, /* its flags lie in memory, out of a filter's sight; libc falls back to clone */
    {__NR_keyctl, ENOSYS}, {__NR_add_key, ENOSYS}, {__NR_request_key, ENOSYS}, {__NR_io_uring_setup, ENOSYS},
    {__NR_io_uring_enter, ENOSYS}, {__NR_io_uring_register, ENOSYS}, {__NR_bpf, EPERM}, {__NR_perf_event_open, EPERM},
    {__NR_io_setup, ENOSYS}, /* its requests count against one limit for the whole machine */
    {__NR_userfaultfd, EPERM}, {__NR_unshare, EPERM}, {__NR_setns, EPERM}, {__NR_mount, EPERM}, {__NR_umount2, EPERM},
    {__NR_pivot_root, EPERM}, {__NR_fsopen, EPERM}, {__NR_fspick, EPERM}, {__NR_fsmount, EPERM}, {__NR_fsconfig, EPERM},
    {__NR_move_mount, EPERM}, {__NR_open_tree, EPERM}, {__NR_mount_setattr, EPERM}, {__NR_open_by_handle_at, EPERM},
    {__NR_name_to_handle_at, EPERM}, {__NR_kexec_load, EPERM}, {__NR_kexec_file_load, EPERM},
    {__NR_init_module, EPERM}, {__NR_finit_module, EPERM},
    {__NR_delete_module, EPERM}, {__NR_swapon, EPERM}, {__NR_swapoff, EPERM}, {__NR_reboot, EPERM}, {__NR_syslog, EPERM},
    {__NR_acct, EPERM}, {__NR_quotactl, EPERM}, {__NR_settimeofday, EPERM}, {__NR_clock_settime, EPERM},
    {__NR_adjtimex, EPERM}, {__NR_clock_adjtime, EPERM}, {__NR_process_madvise, EPERM}, {__NR_mbind, EPERM},
    {__NR_migrate_pages, EPERM}, {__NR_move_pages, EPERM}, {__NR_fanotify_init, EPERM},
#ifdef __x86_64__
    {__NR_iopl, EPERM}, {__NR_ioperm, EPERM}, {__NR_modify_ldt, EPERM},
#endif
};
static const unsigned families[] = {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK};
/* Calls that get EPERM when one argument has that value. Process 1, the runner, has the same user as the agent's root,
 * who could else take its resources away. */
static const struct { int number, argument; unsigned value; } denied_arguments[] = {
    {__NR_ioctl, 1, TIOCSTI}, {__NR_ioctl, 1, TIOCLINUX},
    {__NR_fcntl, 1, F_SETLEASE}, /* on a file of the machine's /usr it would hold up whoever opens that file outside */
    {__NR_prlimit64, 0, 1}, {__NR_sched_setaffinity, 0, 1}, {__NR_sched_setattr, 0, 1}, {__NR_sched_setparam, 0, 1},
    {__NR_sched_setscheduler, 0, 1}, {__NR_setpriority, 1, 1}, {__NR_setpriority, 0, PRIO_USER}, {__NR_ioprio_set, 1, 1},
    {__NR_ioprio_set, 0, 3 /* all of a user */},
};

#ifdef __x86_64__
enum { OUR_ARCHITECTURE = AUDIT_ARCH_X86_64 };
#else /* the build refuses other machines than these two */
enum { OUR_ARCHITECTURE = AUDIT_ARCH_AARCH64 };
#endif

enum { NAMESPACES = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP };

/* The filter is put together by these, and a block that does not
 * apply is jumped over with the call's number still loaded. */
static struct sock_filter filter[512];
static unsigned short length;
static void add(uint16_t code, uint32_t value, uint8_t yes, uint8_t no) { filter[length++] = (struct sock_filter){code, yes, no, value}; }
static void load(size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, offset, 0, 0); }
static void answer(uint32_t value) { add(BPF_RET | BPF_K, value, 0, 0); }
static void load_number(void) { load(offsetof(struct seccomp_data, nr)); }
static void load_argument(int index) { load(offsetof(struct seccomp_data, args) + 8 * index); }
static void deny(int number, int error) {
    add(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1);
    answer(SECCOMP_RET_ERRNO | error);
}

static void deny_argument(int number, int index, unsigned value) {
    add(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 4);
    load_argument(index);
    add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
    answer(SECCOMP_RET_ERRNO | EPERM);
    load_number();
}

static void deny_other_families(int number) {
    add(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 7);
    load_argument(0);
    for (int i = 0; i < 4; i++) add(BPF_JMP | BPF_JEQ | BPF_K, families[i], 4 - i, 0);
    answer(SECCOMP_RET_ERRNO | EAFNOSUPPORT);
    load_number();
}

void filter_system_calls(void) {
    load(offsetof(struct seccomp_data, arch));
    add(BPF_JMP | BPF_JEQ | BPF_K, OUR_ARCHITECTURE, 1, 0);
    answer(SECCOMP_RET_KILL_PROCESS); /* 32-bit calls have other numbers */
    load_number();
#ifdef __x86_64__
    add(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1); /* so have x32 calls */
    answer(SECCOMP_RET_ERRNO | ENOSYS);
#endif
    for (size_t i = 0; i < sizeof denied / sizeof *denied; i++) deny(denied[i].number, denied[i].error);
    for (size_t i = 0; i < sizeof denied_arguments / sizeof *denied_arguments; i++)
        deny_argument(denied_arguments[i].number, denied_arguments[i].argument, denied_arguments[i].value);
    deny_other_families(__NR_socket);
    deny_other_families(__NR_socketpair);
    add(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 0, 3);
    load_argument(0);
    add(BPF_JMP | BPF_JSET | BPF_K, NAMESPACES, 0, 1);
    answer(SECCOMP_RET_ERRNO | EPERM);
    answer(SECCOMP_RET_ALLOW);
    struct sock_fprog program = {length, filter};
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    CHECK(syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program));
}
