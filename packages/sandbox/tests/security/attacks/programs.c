/* Ways to change a file of the machine that is shown read-only: argv[1] is one, argv[2] the folder it is in. */
#include "attack.h"
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/xattr.h>

static long write_shared(int file) {
    char *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return map == MAP_FAILED ? -1 : (*map = 'x');
}

/* Writing to one's own memory goes through protections: into a copy, and never into the file. */
static long write_through_memory(int file) {
    char *map = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, file, 0);
    int memory = open("/proc/self/mem", O_RDWR);
    return pwrite(memory, "pwned", 5, (off_t)map);
}

int main(int argc, char **argv) {
    char beside[4096], linked[64];
    int file = open(argv[1], O_RDONLY), flags = FS_IMMUTABLE_FL;
    snprintf(beside, sizeof beside, "%s/pwned", argv[2]);
    snprintf(linked, sizeof linked, "/proc/self/fd/%d", file);
    ATTEMPT("write", opened(argv[1], O_WRONLY));
    ATTEMPT("write-again", opened(linked, O_RDWR));
    ATTEMPT("truncate", truncate(argv[1], 0));
    ATTEMPT("create", opened(beside, O_WRONLY | O_CREAT));
    ATTEMPT("unnamed", opened(argv[2], O_WRONLY | O_TMPFILE));
    ATTEMPT("folder", mkdir(beside, 0755));
    ATTEMPT("unlink", unlink(argv[1]));
    ATTEMPT("rename", rename(argv[1], "/tmp/stolen"));
    ATTEMPT("link", link(argv[1], "/tmp/stolen"));
    ATTEMPT("chmod", chmod(argv[1], 04777));
    ATTEMPT("fchmod", fchmod(file, 04777));
    ATTEMPT("chown", chown(argv[1], 1, 1));
    ATTEMPT("times", utimensat(AT_FDCWD, argv[1], NULL, 0));
    ATTEMPT("attribute", setxattr(argv[1], "user.pwned", "1", 1, 0));
    ATTEMPT("capability", setxattr(argv[1], "security.capability", "1", 1, 0));
    ATTEMPT("immutable", ioctl(file, FS_IOC_SETFLAGS, &flags));
    ATTEMPT("freeze", ioctl(file, FIFREEZE, 0));
    ATTEMPT("trim", ioctl(file, FITRIM, &flags));
    ATTEMPT("allocate", fallocate(file, 0, 0, 4096));
    ATTEMPT("shared", write_shared(file));
    write_through_memory(file);
    return 0;
}
