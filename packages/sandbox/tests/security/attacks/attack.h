/* What every attack prints: a line for each attempt, its name and "done" or the name of the error that stopped it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>


#define ATTEMPT(name, call) do { \
    errno = 0; \
    long outcome = (long)(call); \
    printf("%s %s\n", name, outcome < 0 ? strerrorname_np(errno) : "done"); \
    fflush(stdout); \
} while (0)

static inline int opened(const char *path, int flags) {
    int file = open(path, flags);
    if (file >= 0) close(file);
    return file;
}

/* Opens, and for reading reads, for writing writes: /proc is full of files that open and then refuse. */
static inline long used(const char *path, int flags, const char *text) {
    char byte;
    int file = open(path, flags);
    if (file < 0) return -1;
    long result = (flags & O_ACCMODE) == O_RDONLY ? read(file, &byte, 1) : write(file, text, strlen(text));
    int why = errno;
    close(file);
    errno = why;
    return result;
}

/* For who waits: a line of its own. */
static inline void say(const char *word) {
    puts(word);
    fflush(stdout);
}
