/* Memory that the kernel holds for us and no process shows: in a file without name, in segments, in sockets. */
#include "attack.h"
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/shm.h>

static char block[1 << 20];

static void hoard_file(void) {
    int file = memfd_create("hoard", 0);
    for (int i = 0; i < 1024 && write(file, block, sizeof block) > 0; i++) {}
}

static void hoard_segments(void) {
    for (int i = 0; i < 64; i++) {
        char *segment = shmat(shmget(IPC_PRIVATE, 16 << 20, 01600), NULL, 0);
        if (segment == (void *)-1) return;
        memset(segment, 1, 16 << 20);
        shmdt(segment);
    }
}

static void hoard_sockets(void) {
    struct sockaddr_in here = {.sin_family = AF_INET};
    socklen_t size = sizeof here;
    int server = socket(AF_INET, SOCK_STREAM, 0), large = 1 << 20;
    bind(server, (void *)&here, size);
    listen(server, 4096);
    getsockname(server, (void *)&here, &size);
    for (int i = 0; i < 1000; i++) {
        int client = socket(AF_INET, SOCK_STREAM, 0);
        connect(client, (void *)&here, size);
        setsockopt(client, SOL_SOCKET, SO_SNDBUF, &large, sizeof large);
        fcntl(client, F_SETFL, O_NONBLOCK);
        while (write(client, block, sizeof block) > 0) {}
    }
}

int main(int argc, char **argv) {
    memset(block, 1, sizeof block);
    if (!strcmp(argv[1], "file")) hoard_file();
    if (!strcmp(argv[1], "segments")) hoard_segments();
    if (!strcmp(argv[1], "sockets")) hoard_sockets();
    sleep(1);
    return 0;
}
