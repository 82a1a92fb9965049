/* make: leave one of everything that has a name for all, and stay; find: look for them. */
#include "attack.h"
#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/un.h>

int main(int argc, char **argv) {
    int make = !strcmp(argv[1], "make"), flags = make ? IPC_CREAT | 0666 : 0, mode = make ? O_RDWR | O_CREAT : O_RDWR;
    int handle = socket(AF_UNIX, SOCK_STREAM, 0);
    struct sockaddr_un address = {AF_UNIX, "\0everybody"};
    ATTEMPT("segment", shmget(77, 4096, flags));
    ATTEMPT("semaphore", semget(77, 1, flags));
    ATTEMPT("messages", msgget(77, flags));
    ATTEMPT("queue", mq_open("/everybody", mode, 0666, NULL));
    ATTEMPT("memory", shm_open("/everybody", mode, 0666));
    ATTEMPT("file", open("/tmp/everybody", mode, 0666));
    if (make) ATTEMPT("socket", bind(handle, (void *)&address, 12) || listen(handle, 5) ? -1 : 0);
    else ATTEMPT("socket", connect(handle, (void *)&address, 12));
    if (!make) return 0;
    say("ready");
    pause();
}
