/* Processes that start the next and end: whoever has looked one up finds it gone. */
#include "attack.h"

static void run(int leave) {
    for (;;) {
        if (leave) setsid();
        if (fork() > 0) _exit(0);
    }
}

int main(void) {
    for (int i = 0; i < 30; i++)
        if (fork() == 0) run(i % 3 == 0);
    for (;;) pause();
}
