/* What a job prints, in a pipe that process 1 makes and holds for the host: little of it goes along with the job's end, so
 * the host need neither make a pipe nor read one. The host gets the pipe itself for what is more, or may become more. */
#include "helper.h"

enum { LONG_MILLISECONDS = 100 };

/* The ends of a new pipe, ours to read from without waiting; false and errno where there is none. It belongs to the root
 * of the episode, as we do: `> /dev/stderr` opens it anew. */
bool open_output(int ends[2]) {
    return pipe2(ends, O_CLOEXEC) == 0 && fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
}

/* How much is in there; more than `room` where that cannot be told. */
static size_t waiting(int output, size_t room) {
    int size;
    return ioctl(output, FIONREAD, &size) < 0 || size < 0 ? room + 1 : (size_t)size;
}

/* Whether a job of so many milliseconds may soon wait until somebody reads. A pipe can be full of few bytes: in pages that
 * were spliced, or in packets. */
bool is_pressing(int output, int64_t age) {
    size_t size = waiting(output, OUTPUT_ROOM);
    return size > OUTPUT_ROOM || (size && age >= LONG_MILLISECONDS);
}

/* Take all that is in there, where nobody can add to it and it fits in `room`: how much that was, or -1. */
ssize_t take_output(int output, unsigned char *bytes, size_t room) {
    size_t size = waiting(output, room), done = 0;
    if (size > room) return -1;
    while (done < size) {
        ssize_t got = read(output, bytes + done, size - done);
        if (got <= 0) break;
        done += got;
    }
    return done;
}
