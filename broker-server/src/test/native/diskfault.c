/*
 * Preloaded into a broker: makes chosen writes and syncs of files below one folder fail, slows syncs
 * down, and records what is on the disk for certain.
 *
 *   DISKFAULT_FOLDER   absolute path without symbolic links; other files are left alone
 *   DISKFAULT_CONTROL  a file of 16 native-endian int64 that the test maps as well:
 *       0  which calls fail: 1 write, 2 fsync and fdatasync, 4 sync_file_range; 0 none (set this last)
 *       1  how many such calls go well before
 *       2  errno
 *       3  1: all later ones fail, too
 *       4  which files: 0 all, 1 *.log, 2 *.sst, 3 MANIFEST-*, 4 directories
 *       5  microseconds that each fsync and fdatasync takes longer
 *       6  1: the write that fails has written half of its bytes
 *       8  writes, 9 syncs, 10 range syncs, 11 failures so far
 *   DISKFAULT_RECORD   gets a line for each step that a power cut would respect:
 *       create <inode> <path>    a file that was not there, or is empty from now on
 *       sync <inode> <length> <path>   its first bytes are on the disk (length is that before the call)
 *       dirsync <path>           the entries of this directory are on the disk
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WHAT, BEFORE, ERRNO, STICKY, FILES, DELAY, HALF, WRITES = 8, SYNCS, RANGES, FAILURES, FIELDS = 16 };
enum { WRITE = 1, SYNC = 2, RANGE = 4 };

static const char *folder;
static size_t folder_length;
static _Atomic int64_t *control;
static int record = -1;

static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static ssize_t (*real_writev)(int, const struct iovec *, int);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static int (*real_sync_file_range)(int, off64_t, off64_t, unsigned int);
static int (*real_open)(const char *, int, ...);
static int (*real_openat)(int, const char *, int, ...);

static void die(const char *why) {
    dprintf(2, "diskfault: %s\n", why);
    _exit(99);
}

/* Other libraries may write or open before it is this one's turn. */
__attribute__((constructor)) static void begin(void) {
    if (real_write) return;
    real_write = dlsym(RTLD_NEXT, "write");
    real_pwrite = dlsym(RTLD_NEXT, "pwrite");
    real_writev = dlsym(RTLD_NEXT, "writev");
    real_fsync = dlsym(RTLD_NEXT, "fsync");
    real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
    real_sync_file_range = dlsym(RTLD_NEXT, "sync_file_range");
    real_open = dlsym(RTLD_NEXT, "open");
    real_openat = dlsym(RTLD_NEXT, "openat");
    const char *path = getenv("DISKFAULT_CONTROL");
    folder = getenv("DISKFAULT_FOLDER");
    if (!folder || !path) {
        folder = NULL;
        return;
    }
    folder_length = strlen(folder);
    int file = real_open(path, O_RDWR | O_CLOEXEC);
    void *mapped = mmap(NULL, FIELDS * sizeof(int64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file < 0 || mapped == MAP_FAILED) die("can't map DISKFAULT_CONTROL");
    close(file);
    control = mapped;
    path = getenv("DISKFAULT_RECORD");
    if (path) {
        record = real_open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
        if (record < 0) die("can't open DISKFAULT_RECORD");
    }
}

/* The path of an open file below the folder; 0 for all others. */
static int ours(int fd, char *path) {
    char link[64];
    if (!folder || fd == record) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length < (ssize_t)folder_length) return 0;
    path[length] = 0;
    return !strncmp(path, folder, folder_length) && (path[folder_length] == '/' || !path[folder_length]);
}

static int is_directory(int fd) {
    struct stat it;
    return !fstat(fd, &it) && S_ISDIR(it.st_mode);
}

static int chosen(int fd, const char *path) {
    size_t length = strlen(path);
    const char *name = strrchr(path, '/') + 1;
    switch (control[FILES]) {
        case 1: return length > 4 && !strcmp(path + length - 4, ".log");
        case 2: return length > 4 && !strcmp(path + length - 4, ".sst");
        case 3: return !strncmp(name, "MANIFEST-", 9);
        case 4: return is_directory(fd);
        default: return 1;
    }
}

/* Whether this call fails; errno is set then. */
static int fails(int kind, int fd, const char *path) {
    if (!(control[WHAT] & kind) || !chosen(fd, path)) return 0;
    int64_t left = atomic_fetch_sub(&control[BEFORE], 1);
    if (left > 0 || (left < 0 && !control[STICKY])) return 0;
    atomic_fetch_add(&control[FAILURES], 1);
    errno = (int)control[ERRNO];
    return 1;
}

static void note(const char *what, int fd, off_t length, const char *path) {
    char line[PATH_MAX + 64];
    struct stat it;
    if (record < 0 || fstat(fd, &it)) return;
    int bytes = length < 0 ? snprintf(line, sizeof line, "%s %llu %s\n", what, (unsigned long long)it.st_ino, path)
                           : snprintf(line, sizeof line, "%s %llu %lld %s\n", what, (unsigned long long)it.st_ino,
                                      (long long)length, path);
    if (real_write(record, line, bytes) != bytes) die("can't write DISKFAULT_RECORD");
}

ssize_t write(int fd, const void *data, size_t count) {
    char path[PATH_MAX];
    begin();
    if (!ours(fd, path)) return real_write(fd, data, count);
    atomic_fetch_add(&control[WRITES], 1);
    if (!fails(WRITE, fd, path)) return real_write(fd, data, count);
    if (control[HALF] && real_write(fd, data, count / 2) < 0) return -1;
    errno = (int)control[ERRNO];
    return -1;
}

static ssize_t pwrite_any(int fd, const void *data, size_t count, off_t at) {
    char path[PATH_MAX];
    if (!ours(fd, path)) return real_pwrite(fd, data, count, at);
    atomic_fetch_add(&control[WRITES], 1);
    if (!fails(WRITE, fd, path)) return real_pwrite(fd, data, count, at);
    if (control[HALF] && real_pwrite(fd, data, count / 2, at) < 0) return -1;
    errno = (int)control[ERRNO];
    return -1;
}

ssize_t pwrite(int fd, const void *data, size_t count, off_t at) { return pwrite_any(fd, data, count, at); }
ssize_t pwrite64(int fd, const void *data, size_t count, off64_t at) { return pwrite_any(fd, data, count, at); }

ssize_t writev(int fd, const struct iovec *parts, int count) {
    char path[PATH_MAX];
    if (!ours(fd, path)) return real_writev(fd, parts, count);
    atomic_fetch_add(&control[WRITES], 1);
    return fails(WRITE, fd, path) ? -1 : real_writev(fd, parts, count);
}

static int sync_any(int fd, int (*real)(int)) {
    char path[PATH_MAX];
    struct stat it;
    if (!ours(fd, path)) return real(fd);
    atomic_fetch_add(&control[SYNCS], 1);
    if (fails(SYNC, fd, path)) return -1;
    if (fstat(fd, &it)) return -1;
    if (control[DELAY] > 0) usleep((useconds_t)control[DELAY]);
    int result = real(fd);
    if (!result) {
        if (S_ISDIR(it.st_mode))
            note("dirsync", fd, -1, path);
        else
            note("sync", fd, it.st_size, path);
    }
    return result;
}

int fsync(int fd) { return sync_any(fd, real_fsync); }
int fdatasync(int fd) { return sync_any(fd, real_fdatasync); }

int sync_file_range(int fd, off64_t from, off64_t count, unsigned int flags) {
    char path[PATH_MAX];
    if (!ours(fd, path)) return real_sync_file_range(fd, from, count, flags);
    atomic_fetch_add(&control[RANGES], 1);
    return fails(RANGE, fd, path) ? -1 : real_sync_file_range(fd, from, count, flags);
}

/* A file that is empty after being opened to write has nothing on the disk yet. */
static int opened(int fd, int flags) {
    char path[PATH_MAX];
    struct stat it;
    int kept = errno;
    if (fd >= 0 && record >= 0 && (flags & O_CREAT) && ours(fd, path) && !fstat(fd, &it) && it.st_size == 0 &&
        S_ISREG(it.st_mode))
        note("create", fd, -1, path);
    errno = kept;
    return fd;
}

#define MODE(flags, mode)                                  \
    mode_t mode = 0;                                       \
    if ((flags) & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))) { \
        va_list arguments;                                 \
        va_start(arguments, flags);                        \
        mode = va_arg(arguments, mode_t);                  \
        va_end(arguments);                                 \
    }

int open(const char *path, int flags, ...) {
    begin();
    MODE(flags, mode)
    return opened(real_open(path, flags, mode), flags);
}

int open64(const char *path, int flags, ...) {
    begin();
    MODE(flags, mode)
    return opened(real_open(path, flags | O_LARGEFILE, mode), flags);
}

int openat(int at, const char *path, int flags, ...) {
    begin();
    MODE(flags, mode)
    return opened(real_openat(at, path, flags, mode), flags);
}

int openat64(int at, const char *path, int flags, ...) {
    begin();
    MODE(flags, mode)
    return opened(real_openat(at, path, flags | O_LARGEFILE, mode), flags);
}

int creat(const char *path, mode_t mode) { return open(path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char *path, mode_t mode) { return open(path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
