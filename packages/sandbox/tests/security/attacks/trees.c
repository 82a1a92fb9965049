/* Trees that are hard to walk: deep DEPTH, wide COUNT, or long (names of 255 bytes in each other, and closed to all);
 * bottom DEPTH: whether a deep one is all there. */
#include "attack.h"

static int nest(const char *name, int depth) {
    while (depth-- > 0)
        if (mkdir(name, 0700) < 0 || chdir(name) < 0) return 1;
    return 0;
}

static int fill(int count, int width) {
    char name[256];
    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%0*d", width, i);
        int file = creat(name, 0644);
        if (file < 0 || write(file, name + width - 1, 1) != 1) return 1;
        close(file);
    }
    return 0;
}

static void close_all(int depth) {
    for (; depth > 0; depth--) {
        chmod(".", 0);
        chdir("..");
    }
}

static int descend(const char *name, int depth) {
    if (chdir("/tmp/tree") < 0) return 1;
    while (depth-- > 0)
        if (chdir(name) < 0) return 1;
    return access("0", F_OK) < 0;
}

int main(int argc, char **argv) {
    char name[256];
    if (!strcmp(argv[1], "bottom")) return descend("d", atoi(argv[2]));
    memset(name, 'n', 255);
    name[255] = 0;
    if (mkdir("/tmp/tree", 0755) < 0 || chdir("/tmp/tree") < 0) return 1;
    if (!strcmp(argv[1], "deep")) return nest("d", atoi(argv[2])) || fill(1, 1);
    if (!strcmp(argv[1], "wide")) return fill(atoi(argv[2]), 6);
    if (nest(name, 100) || fill(3000, 200)) return 1;
    close_all(100);
    return 0;
}
