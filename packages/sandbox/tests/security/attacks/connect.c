/* Come to a server: inet ADDRESS PORT, abstract NAME, path NAME. Or be one: serve ADDRESS PORT. */
#include "attack.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/un.h>

static void come(int family, void *there, socklen_t size) {
    ATTEMPT("stream", connect(socket(family, SOCK_STREAM, 0), there, size));
    ATTEMPT("datagram", sendto(socket(family, SOCK_DGRAM, 0), "hello", 5, 0, there, size));
}

static int serve(void *here, socklen_t size) {
    int server = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(server, here, size) < 0 || listen(server, 1) < 0) return 1;
    say("ready");
    pause();
    return 0;
}

int main(int argc, char **argv) {
    struct sockaddr_in there = {.sin_family = AF_INET};
    struct sockaddr_un local = {.sun_family = AF_UNIX};
    int hidden = !strcmp(argv[1], "abstract");
    if (argc > 3) {
        there.sin_port = htons(atoi(argv[3]));
        inet_pton(AF_INET, argv[2], &there.sin_addr);
        if (!strcmp(argv[1], "serve")) return serve(&there, sizeof there);
        come(AF_INET, &there, sizeof there);
    } else {
        strcpy(local.sun_path + hidden, argv[2]);
        come(AF_UNIX, &local, offsetof(struct sockaddr_un, sun_path) + strlen(argv[2]) + hidden);
    }
    return 0;
}
