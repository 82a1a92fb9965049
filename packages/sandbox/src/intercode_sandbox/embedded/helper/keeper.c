/* Where a job ends: its working folder, seen from outside. A thread of process 1's starts the job and has its root, folder
 * and mask of new files in common with it; so the kernel still knows the folder when the job is gone, however it went.
 * Nothing of this is in the job: its programs see no process 1 and can end no thread of it. */
#include "helper.h"
#include <linux/futex.h>

enum {
    STACK = 64 << 10,
    THREAD = CLONE_VM | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID,
};
static struct keeper { char stack[STACK]; pid_t thread; int over; } keepers[JOBS_LIMIT] __attribute__((aligned(16)));
static struct { process_starter *start; job_body *body; const void *what; int over, error; pid_t child; uint32_t done; } birth;

static void wait_while(uint32_t *word, uint32_t value) {
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == value) syscall(SYS_futex, word, FUTEX_WAIT, value, NULL, NULL, 0);
}

/* The thread. Until `done` process 1 waits, and then this calls nothing that sets errno: they have one in common. */
static int keep(void *none) {
    uint64_t number = (uintptr_t)none;
    int over = birth.over;
    pid_t child = birth.start(CLONE_FS);
    if (child == 0) birth.body(birth.what);
    birth.child = child, birth.error = errno;
    __atomic_store_n(&birth.done, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, &birth.done, FUTEX_WAKE, 1, NULL, NULL, 0);
    syscall(SYS_read, over, &number, sizeof number);
    return 0;
}

/* Start a job that does `body` with `what`, at a place where none is. Returns its process, or -1 and errno. */
pid_t start_kept(int place, process_starter *start, job_body *body, const void *what) {
    struct keeper *keeper = &keepers[place];
    if (!keeper->over && (keeper->over = eventfd(0, EFD_CLOEXEC)) < 0) return keeper->over = 0, -1;
    for (pid_t last; (last = keeper->thread);) wait_while((uint32_t *)&keeper->thread, last);
    birth.start = start, birth.body = body, birth.what = what, birth.over = keeper->over, birth.done = 0;
    if (clone(keep, keeper->stack + STACK, THREAD, NULL, &keeper->thread, NULL, &keeper->thread) < 0) return -1;
    wait_while(&birth.done, 0);
    if (birth.child < 0) eventfd_write(keeper->over, 1);
    errno = birth.error;
    return birth.child;
}

/* Read the folder that `link` in /proc leads to: how long its name is, 0 where it has none any more that fits. A folder that
 * is gone has the name that it had. */
static size_t read_folder(const char *link, char name[PATH_MAX]) {
    static const char gone[] = " (deleted)";
    struct stat folder, named;
    ssize_t size = readlink(link, name, PATH_MAX - 1), rest = size - (ssize_t)strlen(gone);
    if (size <= 0 || *name != '/') return 0;
    name[size] = 0;
    if (rest <= 0 || strcmp(name + rest, gone) != 0) return size;
    bool is_so_called = stat(link, &folder) == 0 && stat(name, &named) == 0 && named.st_ino == folder.st_ino && named.st_dev == folder.st_dev;
    return is_so_called ? size : rest;
}

/* Write the folder in which the job at `place` is, or has ended, as `read_folder` tells; take_folder for the last time. */
size_t see_folder(int place, char name[PATH_MAX]) {
    char link[48];
    snprintf(link, sizeof link, "/proc/self/task/%d/cwd", keepers[place].thread);
    return read_folder(link, name);
}

size_t take_folder(int place, char name[PATH_MAX]) {
    size_t size = see_folder(place, name);
    eventfd_write(keepers[place].over, 1);
    return size;
}

/* What a shell that stays says of a command's end: 256 and the exit status, written to its own /proc/…/coredump_filter. That
 * is a number which the kernel keeps for each process, of nine bits, and of no use where no core is dumped. -1: nothing. */
int take_word(pid_t leader) {
    char path[48], text[16] = "";
    snprintf(path, sizeof path, "/proc/%d/coredump_filter", leader);
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return -1;
    long word = read(file, text, sizeof text - 1) > 0 ? strtol(text, NULL, 16) : 0;
    bool said = word & 256 && write(file, "0", 1) == 1;
    close(file);
    return said ? word & 255 : -1;
}

/* terminal PROGRAM…: become a program whose terminal is its standard input. */
int be_on_terminal(char **argv) {
    ioctl(0, TIOCSCTTY, 0);
    execvp(*argv, argv);
    dprintf(2, "%s: %s\n", *argv, strerror(errno));
    return errno == ENOENT ? 127 : 126;
}

/* follow ANSWER PROGRAM…: run a program, write to the descriptor ANSWER where it ended, and end as it did. */
int follow(int answer, char **argv) {
    int status;
    char name[PATH_MAX];
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before); /* signals are for the program, whose group is ours */
    fcntl(answer, F_SETFD, FD_CLOEXEC);
    pid_t child = syscall(SYS_clone, SIGCHLD | CLONE_FS, 0, 0, 0, 0);
    if (child == 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        execvp(*argv, argv);
        dprintf(2, "%s: %s\n", *argv, strerror(errno));
        _exit(errno == ENOENT ? 127 : 126);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0) return 126;
    size_t size = read_folder("/proc/self/cwd", name);
    if (write(answer, name, size) < 0) return 126;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
