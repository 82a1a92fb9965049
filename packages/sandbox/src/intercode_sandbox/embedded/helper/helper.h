/* The sandbox helper: one static program, four jobs (see main.c). What travels between it and the host is declared here;
 * the other side of every struct is in protocol.py. All numbers are in the machine's own order: both ends are one machine. */
#pragma once
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <linux/filter.h>
#include <linux/limits.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

enum { MESSAGE_LIMIT = 256 * 1024, DESCRIPTORS = 8, LAYERS_LIMIT = 32, JOBS_LIMIT = 64 };

/* Host to zygote. First of all the filter of system calls, a struct sock_filter[], when the zygote is where its control
 * group namespace shall begin. Then 'N': a new episode (descriptors: its socket; as flags say, a snapshot or a stage; a
 * control group: the lists of tasks of one or two of version 1, the folder of one of version 2).
 * 'S': copy an upper layer (descriptors: a socket for the answer, the upper layer).
 * A stager gets both in the zygote's place, and makes of 'N' (descriptors: a socket for the answer, maybe a snapshot) the
 * stage that the zygote is then handed. */
struct request {
    uint32_t kind, id;              /* id: which /scratch/ID holds what is written; 0: a tmpfs */
    uint64_t disk, inodes;          /* size of the episode's tmpfs, bytes and files; on disk watched by the runner */
    uint64_t address_space;         /* bytes for each process, 0: no limit */
    uint64_t resident;              /* bytes for all that is held, watched by the runner; 0: not watched */
    int64_t stamp;                  /* time for files that have none of their own, nanoseconds since the epoch */
    uint32_t processes;
    uint32_t layers;                /* /image/0 is the lowest */
    uint32_t copied;                /* bit i: layer i is copied for this episode (fresh times, shuffled order) */
    uint32_t shuffle;               /* seed for the order in which copies are made, 0: as they are read */
    uint32_t binds;                 /* /bind/i goes, read-only, where the i-th string after the hostname says */
    uint32_t flags;                 /* GOES_ON: from a snapshot; ENTERS: jobs move to a control group; GROUPED: they are born
                                     * in one; STAGED: on a stager's stage, handed over in the snapshot's place */
};                                  /* then: hostname \0, bind targets \0 … */

/* Host to runner. 'X': execute (descriptors: [stdin,] [stdout, stderr]). 'K': kill a job and all it started, or
 * everything (id 0). 'I': send signal `a` to a job's process group. 'O': open a path. 'S', 'C': stop, continue all.
 * 'W': tell how much all have worked. 'P': tell whether the episode is as it began, its upper layer apart.
 * 'Q': tell how a job goes on. 'L': listen on a port of the loopback device; with no port: a socket to connect. */
struct order {
    uint32_t kind, id;
    uint32_t a, b, c, d;            /* X: argc, envc, has stdin, IN_FILE: strings are in a file (the last descriptor: they are too
                                     * long for a message) and HELD: what it prints is held for the host (see output.c); O: where, flags, mode, make parents; I: signal; L: port, backlog */
};                                  /* then: X: cwd \0 identity \0 argv… \0 envp… \0 (identity: "" or uid:gid:groups,…);  O: path \0 */

/* Anybody to host. 'U': here is a snapshot (a descriptor). 'R': ready (the zygote's first: it waits for the filter; a
 * session's has a descriptor of the upper layer).
 * 'F': failed, `status` an errno, then text. 'T': here is a stage (a descriptor). 'E': job `id` ended with wait status
 * (a descriptor of what it printed where that is held and does not go along). 'D': that descriptor, where the job goes on.
 * 'X': job could not be executed, -errno (less BAD_FOLDER, BAD_USER: whose fault it is). 'O', 'L': -errno or a descriptor. 'K': done.
 * Done 'S': `status` how many would not stop. 'P': `status` 1 for yes.
 * 'W': `status` how many threads want a processor, `version.newest` microseconds that all processes have had of one.
 * 'Q': `status` what the job said of a command (see keeper.c), -1: nothing, -2: nothing, and it sleeps; `quiet` how many
 * processes there are. */
struct version { uint64_t newest, hash; };
struct reply {
    uint32_t kind, id;
    int32_t status;
    uint32_t quiet;                 /* E: QUIET: no process is left but process 1; LISTED: what is in the upper layer follows */
    struct version version;         /* E, where it is quiet: of the upper layer, the same while nothing in it changes; 0: not known */
    uint32_t output, folder;        /* E: so many bytes at the end of the message are what it printed, and so many before them
                                     * where it ended; Q: where it is */
    uint64_t worked, memory;        /* E: microseconds of a processor that it had, with the children that it waited for, and the
                                     * most bytes that one of them had resident */
};
enum { IN_FILE = 1, HELD = 2 };
enum { QUIET = 1, LISTED = 2, BAD_FOLDER = 1 << 16, BAD_USER = 1 << 17, GOES_ON = 1, ENTERS = 2, GROUPED = 4, STAGED = 8 };

/* linux/mount.h and sys/mount.h do not go together in every C library. */
enum { ID_MAPPED = 0x100000, CLONE_TREE = 1, FROM_DESCRIPTOR = 4 };

/* wire.c */
ssize_t send_message(int socket, const void *bytes, size_t size, const int *descriptors, int count);
ssize_t receive_message(int socket, void *bytes, size_t size, int *descriptors, int *count);
void send_reply(int socket, uint32_t kind, uint32_t id, int status, const int *descriptors, int count);
char **take_strings(char **text, uint32_t count);
char *read_strings(int file);
extern int failure_socket;          /* where fail() reports; -1: standard error only */
void fail(const char *what) __attribute__((noreturn));
#define CHECK(call) do { if ((long)(call) < 0) fail(#call); } while (0)
void write_file(const char *path, const char *text);
int open_folder(const char *path);
void make_parents(char *path);       /* what cannot be made shows when the path is opened */

/* copy.c */
struct copy { int64_t stamp; uint32_t shuffle; };
int copy_tree(int from, int to, struct copy how);

/* stage.c */
void mount_stage(uint32_t id, uint64_t disk, uint64_t inodes);
void lay_stage(const struct request *request, const char *targets, int snapshot);
void take_snapshot(uint32_t id, int answer, int upper) __attribute__((noreturn));

/* episode.c, guard.c, runner.c */
enum { DEVICES = 6 };
extern const char *const devices[DEVICES]; /* names in /dev */
struct job_group { int descriptor, second; bool entered; };     /* for all processes but process 1: see start_process */
struct links { int socket, mapper, given; struct job_group group; }; /* an episode's descriptors; -1: none */
void play_episode(const struct request *request, const char *strings, struct links links) __attribute__((noreturn));
void limit_resources(const struct request *request);
void drop_capabilities(void);
void receive_filter(int socket);
void forbid_reserving(void);
void filter_system_calls(void);
void forbid_clone3(void);
/* listed: the upper one is told to the host (see listing.c); queues: the folder of POSIX message queues, -1: see /dev. */
struct layers { int upper, count; bool listed; const int *lowers; int queues; };
/* What the runner looks at, now and then, and kills for; 0 or -1: it does not. */
enum { WATCHED_FILES = 256 }; /* open files of a process whose memory is watched */
struct watched { uint64_t resident; int stage; uint64_t disk, inodes; };
void run_jobs(int socket, struct layers layers, struct job_group group, struct watched watched) __attribute__((noreturn));

/* processes.c, held.c, disk.c. `hidden`: deleted files whose size nobody sees; `closed`: a folder cannot be looked into,
 * or is too deep. */
struct others { const pid_t *leaders; int count; }; /* of jobs that go on */
size_t kill_job(pid_t leader, struct timespec began, struct others others);
bool has_ended(const char *name);
bool is_asleep(pid_t id);
bool read_text(const char *name, const char *file, char *text, size_t size);
uint64_t count_threads(const char *states);
uint64_t used_microseconds(void);
uint64_t stop_all(void);
uint64_t each_process(uint64_t (*visit)(const char *name, const void *data), const void *data);
void bound_sockets(void);
uint64_t held_bytes(uint64_t limit);
struct usage { uint64_t bytes, files, hidden; bool closed; size_t seen; dev_t devices[2]; };
struct usage disk_usage(int stage);

/* output.c */
enum { OUTPUT_ROOM = 16 << 10 };     /* what goes along with the end of a job */
bool open_output(int ends[2]);
ssize_t take_output(int output, unsigned char *bytes, size_t room);
bool is_pressing(int output, int64_t age);

/* listener.c */
int listen_on(uint32_t port, uint32_t backlog);
int unconnected(void);

/* keeper.c */
typedef pid_t process_starter(uint64_t flags);
typedef void job_body(const void *what); /* never returns */
pid_t start_kept(int place, process_starter *start, job_body *body, const void *what);
size_t see_folder(int place, char name[PATH_MAX]);
size_t take_folder(int place, char name[PATH_MAX]);
int take_word(pid_t leader);
int be_on_terminal(char **argv);
int follow(int answer, char **argv);

/* pristine.c */
void mark_pristine(void);            /* before the first job */
bool is_pristine(int queues);

/* version.c, listing.c */
struct version version_of(int upper, bool listed);
void begin_listing(bool wanted);
void list_entry(int folder, const char *name, const struct stat *status, int depth);
void list_content(size_t at, const unsigned char *bytes, size_t size);
void list_mark(int folder);
void give_up_listing(void);
void send_with_listing(int host, const struct reply *reply, const char *folder, int output);

/* zygote.c, stager.c, launch.c */
typedef void request_handler(int control, const struct request *request, const char *strings, const int *descriptors, int count);
void serve(int socket, request_handler *handle) __attribute__((noreturn));
void serve_zygote(int socket) __attribute__((noreturn));
int serve_stages(int argc, char **argv);
void become(const char *number);
void show_mounts(const char *folder, const char *prefix, int count, char **marked, int user_namespace);
int keep_user_namespace(int argc, char **argv);
int launch_as_root(int argc, char **argv);
