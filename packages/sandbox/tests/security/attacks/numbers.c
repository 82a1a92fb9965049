/* Calls by other doors, with other numbers, for which the filter was not written: getpid, twice. */
#include "attack.h"

int main(int argc, char **argv) {
    if (!strcmp(argv[1], "x32")) ATTEMPT("getpid", syscall(0x40000000 | SYS_getpid));
#ifdef __x86_64__
    long result;
    if (!strcmp(argv[1], "32-bit")) __asm__ volatile("int $0x80" : "=a"(result) : "a"(20) : "memory");
#endif
    return 0;
}
