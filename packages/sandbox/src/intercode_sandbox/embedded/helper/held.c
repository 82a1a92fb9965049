/* How much memory an episode holds, where no control group counts it: what its processes show, and at most what the kernel
 * may keep for them. What neither shows nor is bounded is refused (UNCOUNTED in system_calls.py). */
#include "helper.h"

enum {
    PIPE = 64 << 10,       /* the usual size, which nobody may change */
    NO_LOOK = WATCHED_FILES * PIPE,
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
    if (!folder) return (errno == EACCES || errno == EPERM) && !has_ended(name) ? NO_LOOK : 0; /* the dead are nobody's */
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

/* What may lie in one direction of a socket: its buffer has this size, for nobody may change it, or that of bound_sockets. */
static uint64_t buffer_size;
enum { TCP_BUFFER = 128 << 10, DATAGRAMS = 11 }; /* one of each sender, up to max_dgram_qlen; the senders may be gone */

static void learn_buffer_size(void) {
    int size = 0, handle = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    socklen_t length = sizeof size;
    CHECK(handle);
    CHECK(getsockopt(handle, SOL_SOCKET, SO_SNDBUF, &size, &length));
    buffer_size = size;
    close(handle);
}

static uint64_t count(const char *line, const char *format) {
    unsigned number;
    return sscanf(line, format, &number) == 1 ? number : 0;
}

static uint64_t any_sockets(const char *line) { return count(line, "sockets: used %u"); }

/* Listing them would take the kernel milliseconds: it walks through the tables of the whole machine. */
static uint64_t internet_sockets(const char *line) {
    return 2 * TCP_BUFFER * (count(line, "TCP: inuse %u") + count(line, "TCP6: inuse %u")) +
           2 * buffer_size * (count(line, "UDP: inuse %u") + count(line, "UDP6: inuse %u"));
}

static uint64_t unix_socket(const char *line) {
    unsigned type;
    if (sscanf(line, "%*x: %*x %*x %*x %x", &type) != 1) return 0;
    return type == SOCK_DGRAM ? DATAGRAMS * buffer_size : buffer_size; /* what is in it is not shown */
}

static uint64_t netlink_socket(const char *line) {
    unsigned received, sent;
    return sscanf(line, "%*s %*s %*s %*s %u %u", &received, &sent) == 2 ? (uint64_t)sent + received : 0;
}

static uint64_t each_line(const char *path, uint64_t (*value)(const char *line)) {
    char line[512];
    uint64_t sum = 0;
    FILE *table = fopen(path, "re");
    if (!table) return 0;
    while (fgets(line, sizeof line, table)) sum += value(line);
    fclose(table);
    return sum;
}

static uint64_t held_by_sockets(uint64_t limit) {
    uint64_t sum = each_line("/proc/net/sockstat", internet_sockets) + each_line("/proc/net/sockstat6", internet_sockets);
    if (each_line("/proc/net/sockstat", any_sockets) * DATAGRAMS * buffer_size <= limit / 4) return sum; /* not worth a look */
    return sum + each_line("/proc/net/unix", unix_socket) + each_line("/proc/net/netlink", netlink_socket);
}

/* The buffers of TCP grow by themselves, to megabytes. Only root of the network namespace can say no to that. */
void bound_sockets(void) {
    static const char *const switches[] = {"proc/sys/net/ipv4/tcp_rmem", "proc/sys/net/ipv4/tcp_wmem"};
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++) write_file(switches[i], "4096 65536 131072");
}

uint64_t held_bytes(uint64_t limit) {
    if (!buffer_size) learn_buffer_size();
    memset(seen, 0, sizeof seen), seen_count = 0;
    return each_process(held_by, &limit) + held_by_sockets(limit);
}
