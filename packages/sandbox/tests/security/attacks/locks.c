/* Every lock there is, on /tmp/file. */
#include "attack.h"
#include <sys/file.h>

int main(void) {
    int file = open("/tmp/file", O_RDWR | O_CREAT, 0600);
    struct flock all = {.l_type = F_WRLCK};
    flock(file, LOCK_EX);
    fcntl(file, F_SETLK, &all);
    fcntl(file, F_SETLEASE, F_WRLCK);
    write(file, "x", 1);
    say("ready");
    pause();
}
