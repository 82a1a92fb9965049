/* What is in the upper layer, told to the host with the end of a command where no process is left and there is little of it:
 * it would take the host many calls to look itself. The host believes of it what it believes of the descriptors that we
 * open for it (see open_on_order), and checks its form (see upper_listing.py). */
#include "helper.h"

enum { ROOM = 16 << 10, NOBODY = 65534 }; /* NOBODY: whoever has no number here, as well */
/* What is found at each path, a folder before what is in it; then its name, then a file's content or a link's target. */
struct __attribute__((packed)) item {
    uint32_t mode, uid, gid;
    uint16_t depth, name;          /* 0 for what lies in the upper layer itself; the name's length */
    int64_t modified;              /* nanoseconds since the epoch */
    uint64_t size;                 /* of what follows the name; of a device its number: 0 is overlayfs' mark for what is gone */
    uint32_t hides;                /* 1: a folder that shows nothing of the layers below */
};

static struct { struct reply reply; unsigned char text[ROOM + PATH_MAX + OUTPUT_ROOM]; } message;
static size_t used;
static struct item *last;
static bool complete;

static unsigned char *take_room(size_t size) {
    if (!complete || size > ROOM - used) return complete = false, NULL;
    used += size;
    return message.text + used - size;
}

void begin_listing(bool wanted) {
    used = 0;
    complete = wanted;
}

void list_entry(int folder, const char *name, const struct stat *status, int depth) {
    size_t length = strlen(name), size = 0;
    bool is_file = S_ISREG(status->st_mode), is_link = S_ISLNK(status->st_mode);
    if (is_file || is_link) size = status->st_size;
    if (status->st_uid == NOBODY || status->st_gid == NOBODY || size > ROOM) complete = false;
    struct item item = {
        status->st_mode, status->st_uid, status->st_gid, depth, length,
        status->st_mtim.tv_sec * 1000000000ll + status->st_mtim.tv_nsec,
        S_ISCHR(status->st_mode) || S_ISBLK(status->st_mode) ? status->st_rdev : size, 0};
    unsigned char *room = take_room(sizeof item + length + size);
    if (!room) return;
    last = memcpy(room, &item, sizeof item);
    memcpy(room + sizeof item, name, length);
    room += sizeof item + length;
    if (is_link && readlinkat(folder, name, (char *)room, size) != (ssize_t)size) complete = false;
}

/* `size` bytes of the file that was listed last, from byte `at` of it on. */
void list_content(size_t at, const unsigned char *bytes, size_t size) {
    if (complete) memcpy(message.text + used - last->size + at, bytes, size);
}

/* Whether the folder that was listed last is marked as hiding what is below. */
void list_mark(int folder) {
    char mark[4];
    if (!complete) return;
    ssize_t size = fgetxattr(folder, "user.overlay.opaque", mark, sizeof mark);
    if (size == 1 && *mark == 'y') last->hides = 1;
    else if (size < 0 && errno != ENODATA && errno != EOPNOTSUPP) complete = false;
}

void give_up_listing(void) { complete = false; }

/* The end of a job, and with it the listing, if there is one, the folder in which it ended, and what it printed: in `output`,
 * -1 for none. */
void send_with_listing(int host, const struct reply *reply, const char *folder, int output) {
    size_t size = complete ? used : 0;
    memcpy(message.text + size, folder, reply->folder);
    size += reply->folder;
    ssize_t printed = output < 0 ? 0 : take_output(output, message.text + size, OUTPUT_ROOM);
    message.reply = *reply;
    message.reply.output = printed < 0 ? 0 : printed;
    if (complete) message.reply.quiet |= LISTED;
    send_message(host, &message, sizeof *reply + size + message.reply.output, &output, printed < 0 ? 1 : 0);
}
