/* intercode-helper: what the embedded sandbox does below Python.
 *
 *   userns   on the host: hold a user namespace while the host writes its maps           launch.c
 *   launch   on the host, for root: show folders that only root may enter, drop to       launch.c
 *            an unused user, execute bubblewrap
 *   follow   on the host, for the local sandbox: run a program and say where it ended     keeper.c
 *   terminal on the host, for the local sandbox: run a program on a terminal               keeper.c
 *   stages   on the host, for root before Linux 6.6: mount overlays for the zygote         stager.c
 *   zygote   inside bubblewrap: make episodes and snapshots on request                   zygote.c
 *              └ stage.c lays out what it writes to, episode.c sets the rest up, copy.c copies layers, guard.c fences it,
 *                runner.c is then its process 1, with processes.c, held.c, disk.c, keeper.c, version.c,
 *                listener.c and pristine.c
 */
#include "helper.h"

/* Who is started by nohup, or as a job in the background, ignores signals: what is started from here does not inherit that. */
static void heed_all_signals(void) {
    char none[64] = {0}; /* of the kernel's own sigaction and mask: the C library refuses to touch the two that it uses */
    for (int number = 1; number <= SIGRTMAX; number++) syscall(SYS_rt_sigaction, number, none, NULL, 8);
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, none, NULL, 8);
}

int main(int argc, char **argv) {
    heed_all_signals();
    if (argc >= 2 && !strcmp(argv[1], "userns")) return keep_user_namespace(argc, argv);
    if (argc >= 2 && !strcmp(argv[1], "launch")) return launch_as_root(argc, argv);
    if (argc >= 4 && !strcmp(argv[1], "follow")) return follow(atoi(argv[2]), argv + 3);
    if (argc >= 3 && !strcmp(argv[1], "terminal")) return be_on_terminal(argv + 2);
    if (argc >= 2 && !strcmp(argv[1], "stages")) return serve_stages(argc, argv);
    if (argc == 3 && !strcmp(argv[1], "zygote")) serve_zygote(atoi(argv[2]));
    static const char usage[] = "intercode-helper is run by intercode, not by hand\n";
    return write(2, usage, sizeof usage - 1) < 0 ? 1 : 2;
}
