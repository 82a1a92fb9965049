/* Input faked into a terminal, one of our own: there is no other. */
#include "attack.h"
#include <pty.h>
#include <sys/ioctl.h>

int main(void) {
    int outer, inner;
    ATTEMPT("openpty", openpty(&outer, &inner, NULL, NULL, NULL));
    setsid();
    ioctl(inner, TIOCSCTTY, 0);
    ATTEMPT("sti", ioctl(inner, TIOCSTI, "x"));
    ATTEMPT("sti-high", syscall(SYS_ioctl, inner, 0xffffffff00000000ul | TIOCSTI, "x"));
    ATTEMPT("linux", ioctl(inner, TIOCLINUX, "\2"));
    ATTEMPT("cons", ioctl(inner, TIOCCONS));
    struct winsize size;
    ATTEMPT("plain-size", ioctl(inner, TIOCGWINSZ, &size));
    return 0;
}
