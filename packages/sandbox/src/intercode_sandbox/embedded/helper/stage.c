/* Where all that an episode writes is kept, and the overlay on it: laid out by the episode itself or, on kernels whose
 * tmpfs has no user attributes for overlayfs to keep its marks in, by a stager (see stager.c), which may use others. */
#include "helper.h"

enum { SPARE = 64 }; /* inodes, and pages */

static void copy_into(int from, const char *folder, struct copy how) {
    int to = open_folder(folder);
    if (copy_tree(from, to, how) < 0) fail("copying a layer or a snapshot");
    close(to);
}

/* On /stage: a tmpfs, or folder /scratch/ID of the host. */
void mount_stage(uint32_t id, uint64_t disk, uint64_t inodes) {
    char text[96];
    if (id) snprintf(text, sizeof text, "/scratch/%u", id);
    else snprintf(text, sizeof text, "size=%llu,nr_inodes=%llu,mode=0755", (unsigned long long)disk, (unsigned long long)inodes);
    if (id) CHECK(mount(text, "/stage", NULL, MS_BIND, NULL));
    else CHECK(mount("tmpfs", "/stage", "tmpfs", MS_NOSUID | MS_NODEV, text));
}

/* What goes on from a snapshot may have used up all its disk, and setting it up takes some more for a moment: the stage is
 * mounted with SPARE room, and this takes it back. */
static void take_spare_back(const struct request *request) {
    char text[96];
    if (request->id || !(request->flags & GOES_ON)) return;
    snprintf(text, sizeof text, "size=%llu,nr_inodes=%llu", (unsigned long long)request->disk, (unsigned long long)request->inodes);
    CHECK(mount(NULL, "/stage", NULL, MS_REMOUNT | MS_NOSUID | MS_NODEV, text));
}

/* Layers that get their times (or an order of their own) for this episode stand as copies in l0, l1, … */
static void copy_layers(const struct request *request) {
    struct copy how = {request->stamp, request->shuffle};
    for (uint32_t i = 0; i < request->layers; i++) {
        char from[32], to[16];
        if (!(request->copied >> i & 1)) continue;
        snprintf(from, sizeof from, "/image/%u", i);
        snprintf(to, sizeof to, "l%u", i);
        CHECK(mkdir(to, 0755));
        int source = open_folder(from);
        copy_into(source, to, how);
        close(source);
    }
}

/* Marks in user attributes mean neither redirections nor files without content; the others are told so. */
static void mount_overlay(const struct request *request) {
    char options[LAYERS_LIMIT * 16 + 192] = "";
    strcat(options, request->flags & STAGED ? "redirect_dir=nofollow,metacopy=off,index=off," : "userxattr,");
    strcat(options, "upperdir=u,workdir=w,lowerdir=");
    for (uint32_t i = request->layers; i-- > 0;) { /* overlayfs wants the highest first */
        char one[32];
        snprintf(one, sizeof one, request->copied >> i & 1 ? "l%u%s" : "/image/%u%s", i, i ? ":" : "");
        strcat(options, one);
    }
    strcat(options, request->layers ? ":b" : "b");
    CHECK(mount("overlay", "m", "overlay", MS_NOSUID | MS_NODEV, options));
}

/* What is mounted later needs folders to be mounted on. They form a lowest layer, so that they are no change of ours. */
static void make_mount_points(const struct request *request, const char *target) {
    CHECK(mkdir("b", 0755));
    CHECK(mkdir("b/dev", 0755));
    CHECK(mkdir("b/proc", 0555));
    for (uint32_t i = 0; i < request->binds; i++, target += strlen(target) + 1) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "b/%s", target);
        make_parents(path);
        mkdir(path, 0755);
    }
}

/* All of it, in a mount namespace of one's own: u (upper layer), w (overlayfs' own), m (the overlay), shm (/dev/shm, which
 * counts against the limit on disk, too), b and copies. */
void lay_stage(const struct request *request, const char *targets, int snapshot) {
    uint64_t spare = request->flags & GOES_ON ? SPARE : 0;
    mount_stage(request->id, request->disk + spare * 4096, request->inodes + spare);
    CHECK(chdir("/stage"));
    CHECK(mkdir("u", 0755));
    CHECK(mkdir("w", 0755));
    CHECK(mkdir("m", 0755));
    CHECK(mkdir("shm", 01777));
    copy_layers(request);
    struct timespec now = {request->stamp / 1000000000, request->stamp % 1000000000}, began[2] = {now, now};
    CHECK(utimensat(AT_FDCWD, "u", began, 0)); /* the root's own time is the start of the episode, too */
    if (snapshot >= 0) copy_into(snapshot, "u", (struct copy){0, 0});
    make_mount_points(request, targets);
    mount_overlay(request);
    take_spare_back(request);
}

/* A snapshot is a tmpfs (or a folder) that no process and no mount holds, only the descriptor that goes to the host. */
void take_snapshot(uint32_t id, int answer, int upper) {
    failure_socket = answer;
    CHECK(unshare(CLONE_NEWNS));
    CHECK(mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL));
    mount_stage(id, 0, 0); /* 0: half the memory; the upper layer's own limit holds it */
    int stage = open_folder("/stage");
    if (copy_tree(upper, stage, (struct copy){0, 0}) < 0) fail("copying the upper layer");
    send_reply(answer, 'U', 0, 0, &stage, 1);
    _exit(0);
}
