/* How much memory an episode holds, where no control group counts it: what its processes show, and at most what the kernel
 * may keep for them. What neither shows nor is bounded is refused (UNCOUNTED in system_calls.py). */
#include "helper.h"

enum {
    PIPE = 64 << 10,         /* the usual size, which nobody may change */
    SOCKET = 416 << 10,      /* what may lie in one that holds anything: net.core.wmem_max, twice */
    DATAGRAMS = 11 * SOCKET, /* one of each sender, up to max_dgram_qlen; senders may be gone */
    NO_LOOK = 1024 * PIPE,   /* as many files as a process may have */
    SEEN_LIMIT = 1 << 13,
};
static uint64_t seen[SEEN_LIMIT];
static size_t seen_count;

/* Whether a pipe is met for the first time in this round. With too many to remember each counts as often as it is met. */
static bool is_new(uint64_t inode) {
    size_t place = inode * 0x9e3779b97f4a7c15 >> 51;
    if (seen_count > SEEN_LIMIT / 2) return true;
    for (; seen[place]; place = (place + 1) % SEEN_LIMIT)
        if (seen[place] == inode) return false;
    seen[place] = inode;
    return ++seen_count;
}

/* Fields of a process's `status`, in bytes. No name of a program can look like one: line ends in names are escaped. */
static uint64_t shown_by(const char *name) {
    static const char *const fields[] = {"\nVmRSS:", "\nVmPTE:", "\nVmSwap:"};
    char text[4096], *found;
    uint64_t sum = 0;
    if (!read_text(name, "status", text, sizeof text)) return 0;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if ((found = strstr(text, fields[i]))) sum += strtoull(found + strlen(fields[i]), NULL, 10) << 10;
    return sum;
}

static uint64_t pipes_of(const char *name) {
    char path[64], target[64];
    uint64_t sum = 0;
    snprintf(path, sizeof path, "/proc/%.16s/fd", name);
    DIR *folder = opendir(path);
    if (!folder) return errno == EACCES || errno == EPERM ? NO_LOOK : 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        ssize_t size = readlinkat(dirfd(folder), entry->d_name, target, sizeof target - 1);
        target[size > 0 ? size : 0] = 0;
        if (!strncmp(target, "pipe:[", 6) && is_new(strtoull(target + 6, NULL, 10))) sum += PIPE;
    }
    closedir(folder);
    return sum;
}

/* Shared memory without a name (of /dev/zero: the other kind is refused) may hold more than what is still mapped. */
static bool shares_zero(const char *name) {
    char path[64], line[512];
    bool found = false;
    snprintf(path, sizeof path, "/proc/%.16s/maps", name);
    FILE *maps = fopen(path, "re");
    if (!maps) return false;
    while (!found && fgets(line, sizeof line, maps)) {
        char shared = 0;
        found = sscanf(line, "%*x-%*x %*c%*c%*c%c", &shared) == 1 && shared == 's' && strstr(line, " /dev/zero");
    }
    fclose(maps);
    return found;
}

static uint64_t held_by(const char *name, const void *limit) {
    return shown_by(name) + pipes_of(name) + (shares_zero(name) ? *(const uint64_t *)limit : 0);
}

static uint64_t unix_socket(const char *line) {
    unsigned type;
    if (sscanf(line, "%*x: %*x %*x %*x %x", &type) != 1) return 0;
    return type == SOCK_DGRAM ? DATAGRAMS : SOCKET; /* what is in it is not shown */
}

static uint64_t tcp_socket(const char *line) {
    unsigned sent, received;
    if (sscanf(line, "%*d: %*s %*s %*x %x:%x", &sent, &received) != 2) return 0;
    return (sent ? SOCKET : 0) + (received ? SOCKET : 0);
}

static uint64_t udp_socket(const char *line) {
    unsigned sent, received;
    return sscanf(line, "%*d: %*s %*s %*x %x:%x", &sent, &received) == 2 ? (uint64_t)sent + received : 0;
}

static uint64_t netlink_socket(const char *line) {
    unsigned received, sent;
    return sscanf(line, "%*s %*s %*s %*s %u %u", &received, &sent) == 2 ? (uint64_t)sent + received : 0;
}

static uint64_t sockets_in(const char *path, uint64_t (*bytes)(const char *line)) {
    char line[512];
    uint64_t sum = 0;
    FILE *table = fopen(path, "re");
    if (!table) return 0;
    while (fgets(line, sizeof line, table)) sum += bytes(line);
    fclose(table);
    return sum;
}

/* The buffers of TCP grow by themselves, to megabytes. Only root of the network namespace can say no to that. */
void bound_sockets(void) {
    static const char *const switches[] = {"proc/sys/net/ipv4/tcp_rmem", "proc/sys/net/ipv4/tcp_wmem"};
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++) write_file(switches[i], "4096 65536 131072");
}

static uint64_t internet_sockets(const char *line) {
    unsigned count;
    bool known = sscanf(line, "TCP: inuse %u", &count) == 1 || sscanf(line, "TCP6: inuse %u", &count) == 1 ||
                 sscanf(line, "UDP: inuse %u", &count) == 1 || sscanf(line, "UDP6: inuse %u", &count) == 1;
    return known ? (uint64_t)count * 2 * SOCKET : 0;
}

/* To list them the kernel walks through the tables of the whole machine, which takes it milliseconds: counting has to do
 * while that leaves no doubt. */
static uint64_t held_by_internet(uint64_t limit) {
    uint64_t at_most = sockets_in("/proc/net/sockstat", internet_sockets) + sockets_in("/proc/net/sockstat6", internet_sockets);
    if (at_most <= limit / 4) return at_most;
    return sockets_in("/proc/net/tcp", tcp_socket) + sockets_in("/proc/net/tcp6", tcp_socket) +
           sockets_in("/proc/net/udp", udp_socket) + sockets_in("/proc/net/udp6", udp_socket);
}

uint64_t held_bytes(uint64_t limit) {
    memset(seen, 0, sizeof seen), seen_count = 0;
    return each_process(held_by, &limit) + held_by_internet(limit) + sockets_in("/proc/net/unix", unix_socket) +
           sockets_in("/proc/net/netlink", netlink_socket);
}
