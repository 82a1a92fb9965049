/* A lease on a file holds up, for 45 seconds, whoever opens it elsewhere. */
#include "attack.h"

int main(int argc, char **argv) {
    int file = open(argv[1], O_RDONLY);
    ATTEMPT("write", fcntl(file, F_SETLEASE, F_WRLCK));
    ATTEMPT("read", fcntl(file, F_SETLEASE, F_RDLCK));
    return 0;
}
