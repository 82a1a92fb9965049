/* A tree that never holds still: link, folder, file and pipe in turn have the same name, and a file grows without end. */
#include "attack.h"

static void feed(void) {
    for (;;) {
        int pipe = open("t", O_WRONLY | O_NONBLOCK);
        write(pipe, "x", 1);
        close(pipe);
    }
}

static void grow(void) {
    for (off_t step = 1;; step++) {
        int file = open("big", O_WRONLY | O_CREAT, 0644);
        ftruncate(file, (step % 8 + 1) << 40);
        close(file);
        unlink("big");
    }
}

int main(void) {
    mkdir("/tmp/w", 0755);
    chdir("/tmp/w");
    if (fork() == 0) feed();
    if (fork() == 0) grow();
    say("ready");
    for (;;) {
        symlink("/", "t");
        unlink("t");
        mkdir("t", 0755);
        symlink("/etc", "t/x");
        unlink("t/x");
        rmdir("t");
        close(creat("t", 0644));
        unlink("t");
        mkfifo("t", 0644);
        unlink("t");
        mkdir("t", 0);
        mkdir("t2", 0755);
        rename("t2", "t");
        rmdir("t");
    }
}
