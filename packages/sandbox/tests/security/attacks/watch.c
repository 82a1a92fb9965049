/* Watch and lock the files named, which others read and run too; for every line of input, tell how much was seen. */
#include "attack.h"
#include <sys/file.h>
#include <sys/inotify.h>

static int events(int watch) {
    char room[4096];
    int seen = 0;
    for (ssize_t got; (got = read(watch, room, sizeof room)) > 0;)
        for (char *next = room; next < room + got; next += sizeof(struct inotify_event) + ((struct inotify_event *)next)->len) seen++;
    return seen;
}

int main(int argc, char **argv) {
    int watch = inotify_init1(IN_NONBLOCK);
    struct flock all = {.l_type = F_RDLCK};
    for (int i = 1; i < argc; i++) {
        int file = open(argv[i], O_RDONLY);
        if (inotify_add_watch(watch, argv[i], IN_ALL_EVENTS) < 0) return 1;
        if (flock(file, LOCK_EX) < 0 || fcntl(file, F_OFD_SETLK, &all) < 0) return 2;
    }
    events(watch);
    say("ready");
    for (char byte; read(0, &byte, 1) == 1;) {
        printf("%d\n", events(watch));
        fflush(stdout);
    }
    return 0;
}
