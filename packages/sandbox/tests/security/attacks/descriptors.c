/* Which descriptors a program finds open. */
#include "attack.h"

int main(void) {
    for (int file = 0; file < 1024; file++)
        if (fcntl(file, F_GETFD) >= 0) printf("%d ", file);
    puts("open");
    return 0;
}
