/* Messages with descriptors over SOCK_SEQPACKET, and the one way to fail. */
#include "helper.h"

enum { STRINGS_LIMIT = 8 << 20 };

int failure_socket = -1;

/* What this program was compiled from, for compiled.py to find in its file. */
#ifndef SOURCES
#define SOURCES "unknown"
#endif
const char compiled_from[] __attribute__((used)) = "intercode-sources:" SOURCES;

ssize_t send_message(int socket, const void *bytes, size_t size, const int *descriptors, int count) {
    union { char room[CMSG_SPACE(sizeof(int) * DESCRIPTORS)]; struct cmsghdr align; } control = {0};
    struct iovec vector = {(void *)bytes, size};
    struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};
    if (count) {
        message.msg_control = control.room;
        message.msg_controllen = CMSG_SPACE(sizeof(int) * count);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int) * count);
        memcpy(CMSG_DATA(header), descriptors, sizeof(int) * count);
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL);
}

ssize_t receive_message(int socket, void *bytes, size_t size, int *descriptors, int *count) {
    union { char room[CMSG_SPACE(sizeof(int) * DESCRIPTORS)]; struct cmsghdr align; } control;
    struct iovec vector = {bytes, size};
    struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1, .msg_control = control.room, .msg_controllen = sizeof control.room};
    *count = 0;
    ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (got <= 0) return got;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        *count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        memcpy(descriptors, CMSG_DATA(header), *count * sizeof(int));
    }
    if (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) { /* a host that sends too much is no host of ours */
        errno = EMSGSIZE;
        return -1;
    }
    return got;
}

void send_reply(int socket, uint32_t kind, uint32_t id, int status, const int *descriptors, int count) {
    struct reply reply = {.kind = kind, .id = id, .status = status};
    send_message(socket, &reply, sizeof reply, descriptors, count);
}

/* The next `count` strings of *text*, which then is behind them. To be freed. */
char **take_strings(char **text, uint32_t count) {
    char **list = calloc(count + 1, sizeof(char *));
    for (uint32_t i = 0; i < count; i++, *text += strlen(*text) + 1) list[i] = *text;
    return list;
}

/* Strings that were too long for a message, to be freed; NULL and errno where they cannot be had. */
char *read_strings(int file) {
    struct stat status;
    if (fstat(file, &status) < 0) return NULL;
    if (status.st_size > STRINGS_LIMIT) return errno = E2BIG, NULL;
    char *text = malloc(status.st_size + 1);
    if (text) text[status.st_size] = 0;
    for (off_t done = 0; text && done < status.st_size;) {
        ssize_t got = pread(file, text + done, status.st_size - done, done);
        if (got > 0) done += got;
        else return errno = got < 0 ? errno : EIO, free(text), NULL;
    }
    return text;
}

void fail(const char *what) {
    int why = errno;
    struct { struct reply reply; char text[512]; } message = {.reply = {.kind = 'F', .status = why}};
    int length = snprintf(message.text, sizeof message.text, "%.400s: %.100s", what, strerror(why));
    if (failure_socket >= 0) send_message(failure_socket, &message, sizeof message.reply + length, NULL, 0);
    else dprintf(2, "intercode-helper: %s\n", message.text);
    _exit(111);
}

void write_file(const char *path, const char *text) {
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0 || write(file, text, strlen(text)) < 0) fail(path);
    close(file);
}

int open_folder(const char *path) {
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) fail(path);
    return folder;
}

void make_parents(char *path) {
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(path, 0755);
        *slash = '/';
    }
}
