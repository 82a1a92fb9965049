/* Memory that the kernel holds for us and no process shows. Prints, for each process, how many bytes it has put away. */
#include "attack.h"
#include <netinet/in.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

enum { MEGABYTE = 1 << 20, PIECE = 16 << 20 };
static char block[64 << 10]; /* small: every process would show it as its own */
static unsigned long long total, told;

static void put_away(size_t bytes) {
    total += bytes;
    if (total - told < MEGABYTE) return;
    told = total;
    dprintf(1, "%d %llu\n", getpid(), total);
}

/* Several processes, each as another user where that can be had: some limits are for each user apart. */
static void become_many(int count) {
    for (int i = 1; i < count; i++)
        if (fork() == 0) {
            setuid(1000 + i);
            return;
        }
}

static void hoard_file(void) {
    int file = memfd_create("hoard", 0);
    for (int i = 0; i < 16384 && write(file, block, sizeof block) > 0; i++) put_away(sizeof block);
}

static void hoard_segments(void) {
    for (int i = 0; i < 64; i++) {
        char *segment = shmat(shmget(IPC_PRIVATE, PIECE, 01600), NULL, 0);
        if (segment == (void *)-1) return;
        memset(segment, 1, PIECE);
        shmdt(segment);
        put_away(PIECE);
    }
}

/* Shared memory stays as a whole while one page of it is mapped, and is not shown when it is not in our tables. */
static void hoard_shared(int file) {
    for (int i = 0; i < 64; i++) {
        char *piece = mmap(NULL, PIECE, PROT_READ | PROT_WRITE, MAP_SHARED | (file < 0 ? MAP_ANONYMOUS : 0), file, 0);
        if (piece == MAP_FAILED) return;
        memset(piece, 1, PIECE);
        munmap(piece + 4096, PIECE - 4096);
        madvise(piece, 4096, MADV_DONTNEED);
        put_away(PIECE);
    }
}

static void hoard_messages(void) {
    struct { long type; char text[8000]; } message = {1};
    for (int i = 0; i < 32000; i++) {
        int queue = msgget(IPC_PRIVATE, 0600);
        if (queue < 0) return;
        while (msgsnd(queue, &message, sizeof message.text, IPC_NOWAIT) == 0) put_away(sizeof message.text);
    }
}

static void hoard_semaphores(void) {
    for (int i = 0; i < 500 && semget(IPC_PRIVATE, 32000, 0600) >= 0; i++) put_away(32000 * 64);
}

static void fill(int file) {
    fcntl(file, F_SETFL, O_NONBLOCK);
    for (ssize_t size; (size = write(file, block, sizeof block)) > 0;) put_away(size);
}

static void hoard_pipes(void) {
    become_many(30);
    for (int ends[2]; pipe(ends) == 0;) fill(ends[1]);
}

/* The sender closes: what it sent is charged to a socket that is in no list any more. */
static void hoard_unix_sockets(int kind) {
    become_many(8);
    for (int ends[2]; socketpair(AF_UNIX, kind, 0, ends) == 0; close(ends[1])) fill(ends[1]);
}

static void hoard_sockets(void) {
    struct sockaddr_in here = {.sin_family = AF_INET};
    socklen_t size = sizeof here;
    int server = socket(AF_INET, SOCK_STREAM, 0), large = MEGABYTE;
    bind(server, (void *)&here, size);
    listen(server, 4096);
    getsockname(server, (void *)&here, &size);
    for (int i = 0; i < 1000; i++) {
        int client = socket(AF_INET, SOCK_STREAM, 0);
        connect(client, (void *)&here, size);
        setsockopt(client, SOL_SOCKET, SO_SNDBUF, &large, sizeof large);
        fill(client);
    }
}

int main(int argc, char **argv) {
    memset(block, 1, sizeof block);
    if (!strcmp(argv[1], "file")) hoard_file();
    if (!strcmp(argv[1], "segments")) hoard_segments();
    if (!strcmp(argv[1], "shared")) hoard_shared(-1);
    if (!strcmp(argv[1], "zero")) hoard_shared(open("/dev/zero", O_RDWR));
    if (!strcmp(argv[1], "messages")) hoard_messages();
    if (!strcmp(argv[1], "semaphores")) hoard_semaphores();
    if (!strcmp(argv[1], "pipes")) hoard_pipes();
    if (!strcmp(argv[1], "streams")) hoard_unix_sockets(SOCK_STREAM);
    if (!strcmp(argv[1], "datagrams")) hoard_unix_sockets(SOCK_DGRAM);
    if (!strcmp(argv[1], "sockets")) hoard_sockets();
    sleep(1);
    return 0;
}
