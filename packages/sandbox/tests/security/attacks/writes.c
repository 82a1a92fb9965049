/* Writes to every path given: settings of the kernel, and what only pretends to be there. */
#include "attack.h"

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) ATTEMPT(argv[i], used(argv[i], O_WRONLY, "1\n"));
    return 0;
}
