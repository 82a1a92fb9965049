/* intercode-runner: process 1 of a container that an engine (Docker, Podman) started. The engine has made the walls: file
 * system, namespaces, capabilities, control group. This connects to the host, shuts the doors that engines leave open
 * (the same filter as in the embedded sandbox) and then runs jobs, with the embedded sandbox's own runner.
 *
 *   intercode-runner SOCKET DISK     DISK: how large one file may be, which rootless engines do not see to
 */
#include "helper.h"
#include <sys/un.h>

static int connect_to_host(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int host = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    CHECK(host);
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        fail(path);
    }
    strcpy(address.sun_path, path);
    if (connect(host, (struct sockaddr *)&address, sizeof address) < 0) fail(path);
    return host;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        static const char usage[] = "intercode-runner is run by intercode in a container, not by hand\n";
        return write(2, usage, sizeof usage - 1) < 0 ? 1 : 2;
    }
    failure_socket = connect_to_host(argv[1]);
    int root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* what "the upper layer" is to the runner: read without links */
    CHECK(root);
    receive_filter(failure_socket);
    struct request limits = {.id = 1, .disk = strtoull(argv[2], NULL, 10), .processes = UINT32_MAX}; /* the engine's control group counts them: users are the machine's */
    limit_resources(&limits);
    filter_system_calls();
    struct watched watched = {.stage = -1}; /* the engine limits, and the host watches */
    run_jobs(failure_socket, (struct layers){root, 0, false, NULL, -1}, (struct job_group){-1, -1, false}, watched);
}
