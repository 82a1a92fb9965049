/* What a process of an episode may still do: resource limits, capabilities, system calls. */
#include "helper.h"
#include <stddef.h>

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
    if (request->id) limit(RLIMIT_FSIZE, request->disk); /* no watch is as fast as one file can grow */
    if (request->address_space) limit(RLIMIT_AS, request->address_space);
}

/* About what Docker leaves to root: enough for chown, su, apt, chroot; nothing that reaches beyond the episode. No root that
 * chroot makes is wider than the episode's own, which pivot_root has made the top of all mounts, and we ourselves open paths
 * from there, whoever has another. CAP_SYS_PTRACE shows root the processes of its other users; process 1 belongs to the outer user namespace, where it counts for nothing. */
void drop_capabilities(void) {
    static const int kept[] = {CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_FOWNER, CAP_FSETID, CAP_SETUID, CAP_SETGID, CAP_KILL, CAP_NET_BIND_SERVICE, CAP_SYS_CHROOT, CAP_SYS_PTRACE};
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

/* Where the disk is watched: no room is taken without being written, which no watch would see in time. */
void forbid_reserving(void) {
    enum { REFUSE = SECCOMP_RET_ERRNO | EOPNOTSUPP, RESERVE = 0x40305828, RESERVE_64 = 0x4030582a, ZERO = 0x40305839 }; /* FS_IOC_… */
    struct sock_filter refusals[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_fallocate, 6, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_ioctl, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, RESERVE, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, RESERVE_64, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ZERO, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, REFUSE),
    };
    struct sock_fprog more = {sizeof refusals / sizeof *refusals, refusals};
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    CHECK(syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, 0, &more));
}

static struct sock_filter filter[512]; /* put together by system_calls.py */
static struct sock_fprog program = {0, filter};

void receive_filter(int socket) {
    int none;
    ssize_t size = receive_message(socket, filter, sizeof filter, NULL, &none);
    if (size <= 0 || size % sizeof *filter) {
        errno = EINVAL;
        fail("the filter of system calls");
    }
    program.len = size / sizeof *filter;
}

void filter_system_calls(void) {
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    CHECK(syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program));
}

/* What the runner of a GROUPED episode needs, for only clone3 starts a process in a control group, and its jobs may not
 * have. The filter below this one has looked at the architecture already. */
void forbid_clone3(void) {
    static struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone3, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    static struct sock_fprog last = {sizeof steps / sizeof *steps, steps};
    CHECK(syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, 0, &last));
}
