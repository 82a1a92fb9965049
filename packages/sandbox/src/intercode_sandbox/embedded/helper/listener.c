/* A socket of the session's network that is held outside of it: only a process in a network namespace can make one. */
#include "helper.h"
#include <arpa/inet.h>
#include <netinet/in.h>

/* Listen on the loopback device. Returns the socket, or -errno. */
int listen_on(uint32_t port, uint32_t backlog) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int one = 1, server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (server < 0) return -errno;
    if (setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) == 0 &&
        bind(server, (struct sockaddr *)&address, sizeof address) == 0 && listen(server, backlog) == 0)
        return server;
    int why = errno;
    close(server);
    return -why;
}

/* A socket that is not connected yet: whoever it is handed to connects it, and waits for that. Returns it, or -errno. */
int unconnected(void) {
    int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return client < 0 ? -errno : client;
}
