/* The attributes in which overlayfs keeps its marks; with an argument, so many others on that path that they hide one. */
#include "attack.h"
#include <sys/xattr.h>

static int hide(const char *path) {
    char name[256];
    for (int i = 0; i < 60; i++) {
        snprintf(name, sizeof name, "user.%0240d", i);
        if (setxattr(path, name, "y", 1, 0) < 0) return 1;
    }
    return 0;
}

int main(int argc, char **argv) {
    static const char *const marks[] = {"opaque", "whiteout", "redirect", "metacopy", "origin", "impure", "nlink", "overlay.opaque"};
    static const char *const places[] = {"/home", "/etc", "/etc/hosts", "/tmp/new"};
    if (argc > 1) return hide(argv[1]);
    mkdir("/tmp/new", 0755);
    for (int i = 0; i < 4 * 8 * 2; i++) {
        const char *place = places[i / 16];
        char name[64], label[128];
        snprintf(name, sizeof name, "%s.overlay.%s", i % 2 ? "trusted" : "user", marks[i / 2 % 8]);
        snprintf(label, sizeof label, "%s:%s", place, name);
        ATTEMPT(label, setxattr(place, name, "y", 1, 0));
    }
    return 0;
}
