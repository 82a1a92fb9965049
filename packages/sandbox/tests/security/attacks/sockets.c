/* Sockets that reach beyond the session's own network, and kernel services that have been ways out before. */
#include "attack.h"
#include <linux/if_alg.h>
#include <linux/netlink.h>
#include <linux/perf_event.h>
#include <netinet/in.h>

static int closed(int file) {
    if (file >= 0) close(file);
    return file;
}

static void try_families(void) {
    static const struct { const char *name; int family; } all[] = {
        {"vsock", AF_VSOCK}, {"packet", AF_PACKET}, {"alg", AF_ALG}, {"bluetooth", AF_BLUETOOTH}, {"can", AF_CAN},
        {"tipc", AF_TIPC}, {"xdp", AF_XDP}, {"rds", AF_RDS}, {"key", AF_KEY}, {"kcm", AF_KCM}, {"qipcrtr", AF_QIPCRTR},
        {"smc", AF_SMC}, {"nfc", AF_NFC}, {"x25", AF_X25}, {"ax25", AF_AX25}, {"appletalk", AF_APPLETALK}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char name[32];
        static const int types[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_RAW, SOCK_SEQPACKET};
        for (int type = 0; type < 4; type++) {
            snprintf(name, sizeof name, "%s-%d", all[i].name, types[type]);
            ATTEMPT(name, closed(socket(all[i].family, types[type], 0)));
        }
        int pair[2];
        snprintf(name, sizeof name, "%s-pair", all[i].name);
        ATTEMPT(name, socketpair(all[i].family, SOCK_STREAM, 0, pair));
    }
}

int main(void) {
    try_families();
    ATTEMPT("raw-icmp", closed(socket(AF_INET, SOCK_RAW, IPPROTO_ICMP)));
    ATTEMPT("raw-all", closed(socket(AF_INET, SOCK_RAW, IPPROTO_RAW)));
    ATTEMPT("raw-icmp6", closed(socket(AF_INET6, SOCK_RAW, IPPROTO_ICMPV6)));
    ATTEMPT("keyctl", syscall(SYS_keyctl, 0, -3, 0));
    ATTEMPT("add_key", syscall(SYS_add_key, "user", "name", "text", 4, -3));
    ATTEMPT("request_key", syscall(SYS_request_key, "user", "name", NULL, 0));
    ATTEMPT("bpf", syscall(SYS_bpf, 0, NULL, 0));
    ATTEMPT("io_uring", syscall(SYS_io_uring_setup, 8, NULL));
    ATTEMPT("userfaultfd", syscall(SYS_userfaultfd, 1));
    ATTEMPT("userfaultfd-device", opened("/dev/userfaultfd", O_RDWR));
    struct perf_event_attr event = {.type = PERF_TYPE_SOFTWARE, .size = sizeof event, .exclude_kernel = 1};
    ATTEMPT("perf", syscall(SYS_perf_event_open, &event, 0, -1, -1, 0));
    ATTEMPT("fanotify", syscall(SYS_fanotify_init, 0, 0));
    ATTEMPT("syslog", syscall(SYS_syslog, 3, NULL, 0));
    unsigned long context = 0;
    ATTEMPT("aio", syscall(SYS_io_setup, 30000, &context));
    ATTEMPT("plain-unix", closed(socket(AF_UNIX, SOCK_STREAM, 0)));
    ATTEMPT("plain-inet", closed(socket(AF_INET, SOCK_STREAM, 0)));
    ATTEMPT("plain-inet6", closed(socket(AF_INET6, SOCK_DGRAM, 0)));
    ATTEMPT("plain-netlink", closed(socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE)));
    int pair[2];
    ATTEMPT("plain-pair", socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    return 0;
}
