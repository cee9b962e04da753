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
 *       4  which files: 0 all, 1 *.segment, 2 *.sst, 3 MANIFEST-*, 4 directories
 *       5  microseconds that each fsync and fdatasync takes longer
 *       6  1: the write that fails has written half of its bytes
 *       7  bytes that are said to be free on the disk, at most; 0: as many as there are
 *       8  writes, 9 syncs, 10 range syncs, 11 failures so far
 *   DISKFAULT_RECORD   gets an entry for each step that decides what a power cut may leave; <mark> is the
 *       length of the record before the sync began, what stands behind it may not be on the disk:
 *       create <inode> <path>     a file that was not there, or is empty from now on
 *       write <inode> <offset> <count> <length of the file before> <old count> <path>
 *                                 and then, after the end of the line, the bytes that it overwrites
 *       sync <inode> <mark> <path>     what was written to it is on the disk
 *       dirsync <inode> <mark> <path>  the entries of this directory are on the disk
 *       entries <path>            an entry was renamed or removed, below this folder
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
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WHAT, BEFORE, ERRNO, STICKY, FILES, DELAY, HALF, FREE, WRITES = 8, SYNCS, RANGES, FAILURES, FIELDS = 16 };
enum { WRITE = 1, SYNC = 2, RANGE = 4 };

static const char *folder;
static size_t folder_length;
static _Atomic int64_t *control;
static int record = -1;

static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static ssize_t (*real_writev)(int, const struct iovec *, int);
static ssize_t (*real_pwritev)(int, const struct iovec *, int, off_t);
static int (*real_ftruncate)(int, off_t);
static int (*real_fallocate)(int, int, off_t, off_t);
static int (*real_posix_fallocate)(int, off_t, off_t);
static int (*real_rename)(const char *, const char *);
static int (*real_renameat)(int, const char *, int, const char *);
static int (*real_unlink)(const char *);
static int (*real_unlinkat)(int, const char *, int);
static int (*real_remove)(const char *);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static int (*real_sync_file_range)(int, off64_t, off64_t, unsigned int);
static int (*real_open)(const char *, int, ...);
static int (*real_openat)(int, const char *, int, ...);
static int (*real_statvfs)(const char *, struct statvfs *);
static int (*real_statvfs64)(const char *, struct statvfs64 *);

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
    real_pwritev = dlsym(RTLD_NEXT, "pwritev");
    real_ftruncate = dlsym(RTLD_NEXT, "ftruncate");
    real_fallocate = dlsym(RTLD_NEXT, "fallocate");
    real_posix_fallocate = dlsym(RTLD_NEXT, "posix_fallocate");
    real_rename = dlsym(RTLD_NEXT, "rename");
    real_renameat = dlsym(RTLD_NEXT, "renameat");
    real_unlink = dlsym(RTLD_NEXT, "unlink");
    real_unlinkat = dlsym(RTLD_NEXT, "unlinkat");
    real_remove = dlsym(RTLD_NEXT, "remove");
    real_fsync = dlsym(RTLD_NEXT, "fsync");
    real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
    real_sync_file_range = dlsym(RTLD_NEXT, "sync_file_range");
    real_open = dlsym(RTLD_NEXT, "open");
    real_openat = dlsym(RTLD_NEXT, "openat");
    real_statvfs = dlsym(RTLD_NEXT, "statvfs");
    real_statvfs64 = dlsym(RTLD_NEXT, "statvfs64");
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
        case 1: return length > 8 && !strcmp(path + length - 8, ".segment");
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

/* Whole entries, also when several threads write at once. */
static void put(const char *line, int bytes, const void *old, size_t count) {
    struct iovec parts[2] = {{(void *)line, (size_t)bytes}, {(void *)old, count}};
    if (real_writev(record, parts, count ? 2 : 1) != (ssize_t)(bytes + count)) die("can't write DISKFAULT_RECORD");
}

/* The length of the record. */
static long long mark(void) {
    struct stat it;
    return record < 0 || fstat(record, &it) ? 0 : (long long)it.st_size;
}

/* A write of count bytes is about to be done: what was there before may come back. */
static void note_write(int fd, off_t at, size_t count, const char *path) {
    char line[PATH_MAX + 128], link[64];
    struct stat it;
    char *old = NULL;
    ssize_t kept = 0;
    if (record < 0 || !count || fstat(fd, &it) || !S_ISREG(it.st_mode)) return;
    if (at < it.st_size) {
        size_t there = (size_t)(it.st_size - at) < count ? (size_t)(it.st_size - at) : count;
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd); /* fd may be for writing only */
        int readable = real_open(link, O_RDONLY | O_CLOEXEC);
        old = malloc(there);
        if (readable < 0 || !old) die("can't read what is written over");
        kept = pread(readable, old, there, at);
        close(readable);
        if (kept < 0) die("can't read what is written over");
    }
    int bytes = snprintf(line, sizeof line, "write %llu %lld %zu %lld %zd %s\n", (unsigned long long)it.st_ino,
                         (long long)at, count, (long long)it.st_size, kept, path);
    put(line, bytes, old, (size_t)kept);
    free(old);
}

/* The file becomes longer without a write. */
static void note_growth(int fd, off_t length) {
    char path[PATH_MAX];
    struct stat it;
    if (record >= 0 && ours(fd, path) && !fstat(fd, &it) && length > it.st_size)
        note_write(fd, it.st_size, (size_t)(length - it.st_size), path);
}

static off_t offset_of(int fd) {
    struct stat it;
    int flags = fcntl(fd, F_GETFL);
    if (flags >= 0 && flags & O_APPEND) return fstat(fd, &it) ? 0 : it.st_size;
    return lseek(fd, 0, SEEK_CUR);
}

static size_t sum(const struct iovec *parts, int count) {
    size_t bytes = 0;
    for (int i = 0; i < count; i++) bytes += parts[i].iov_len;
    return bytes;
}

ssize_t write(int fd, const void *data, size_t count) {
    char path[PATH_MAX];
    begin();
    if (!ours(fd, path)) return real_write(fd, data, count);
    atomic_fetch_add(&control[WRITES], 1);
    note_write(fd, offset_of(fd), count, path);
    if (!fails(WRITE, fd, path)) return real_write(fd, data, count);
    if (control[HALF] && real_write(fd, data, count / 2) < 0) return -1;
    errno = (int)control[ERRNO];
    return -1;
}

static ssize_t pwrite_any(int fd, const void *data, size_t count, off_t at) {
    char path[PATH_MAX];
    if (!ours(fd, path)) return real_pwrite(fd, data, count, at);
    atomic_fetch_add(&control[WRITES], 1);
    note_write(fd, at, count, path);
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
    note_write(fd, offset_of(fd), sum(parts, count), path);
    return fails(WRITE, fd, path) ? -1 : real_writev(fd, parts, count);
}

static ssize_t pwritev_any(int fd, const struct iovec *parts, int count, off_t at) {
    char path[PATH_MAX];
    if (!ours(fd, path)) return real_pwritev(fd, parts, count, at);
    atomic_fetch_add(&control[WRITES], 1);
    note_write(fd, at, sum(parts, count), path);
    return fails(WRITE, fd, path) ? -1 : real_pwritev(fd, parts, count, at);
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) { return pwritev_any(fd, parts, count, at); }
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t at) { return pwritev_any(fd, parts, count, at); }

static int truncate_any(int fd, off_t length) {
    note_growth(fd, length);
    return real_ftruncate(fd, length);
}

int ftruncate(int fd, off_t length) { return truncate_any(fd, length); }
int ftruncate64(int fd, off64_t length) { return truncate_any(fd, length); }

static int fallocate_any(int fd, int mode, off_t at, off_t count) {
    if (!(mode & FALLOC_FL_KEEP_SIZE)) note_growth(fd, at + count);
    return real_fallocate(fd, mode, at, count);
}

int fallocate(int fd, int mode, off_t at, off_t count) { return fallocate_any(fd, mode, at, count); }
int fallocate64(int fd, int mode, off64_t at, off64_t count) { return fallocate_any(fd, mode, at, count); }

static int posix_fallocate_any(int fd, off_t at, off_t count) {
    note_growth(fd, at + count);
    return real_posix_fallocate(fd, at, count);
}

int posix_fallocate(int fd, off_t at, off_t count) { return posix_fallocate_any(fd, at, count); }
int posix_fallocate64(int fd, off64_t at, off64_t count) { return posix_fallocate_any(fd, at, count); }

static int sync_any(int fd, int (*real)(int)) {
    char path[PATH_MAX], line[PATH_MAX + 64];
    struct stat it;
    if (!ours(fd, path)) return real(fd);
    atomic_fetch_add(&control[SYNCS], 1);
    if (fails(SYNC, fd, path)) return -1;
    if (fstat(fd, &it)) return -1;
    long long before = mark();
    if (control[DELAY] > 0) usleep((useconds_t)control[DELAY]);
    int result = real(fd);
    if (!result && record >= 0)
        put(line,
            snprintf(line, sizeof line, "%s %llu %lld %s\n", S_ISDIR(it.st_mode) ? "dirsync" : "sync",
                     (unsigned long long)it.st_ino, before, path),
            NULL, 0);
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
    char path[PATH_MAX], line[PATH_MAX + 64];
    struct stat it;
    int kept = errno;
    if (fd >= 0 && record >= 0 && (flags & O_CREAT) && ours(fd, path) && !fstat(fd, &it) && it.st_size == 0 &&
        S_ISREG(it.st_mode))
        put(line, snprintf(line, sizeof line, "create %llu %s\n", (unsigned long long)it.st_ino, path), NULL, 0);
    errno = kept;
    return fd;
}

/* result of a call that changed this entry */
static int changed(int result, const char *path) {
    char line[PATH_MAX + 64];
    int kept = errno;
    if (!result && record >= 0 && (path[0] != '/' || !strncmp(path, folder, folder_length)))
        put(line, snprintf(line, sizeof line, "entries %s\n", path), NULL, 0);
    errno = kept;
    return result;
}

int rename(const char *from, const char *to) {
    begin();
    return changed(real_rename(from, to), to);
}

int renameat(int at, const char *from, int there, const char *to) {
    begin();
    return changed(real_renameat(at, from, there, to), to);
}

int unlink(const char *path) {
    begin();
    return changed(real_unlink(path), path);
}

int unlinkat(int at, const char *path, int flags) {
    begin();
    return changed(real_unlinkat(at, path, flags), path);
}

int remove(const char *path) {
    begin();
    return changed(real_remove(path), path);
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

/* Less room than there is, for who asks how much is free under the folder. */
#define LESS(result, path, it)                                                                            \
    if (!(result) && folder && control[FREE] > 0 && !strncmp(path, folder, folder_length)) {             \
        uint64_t most = (uint64_t)control[FREE] / ((it)->f_frsize ? (it)->f_frsize : 1);                  \
        if ((it)->f_bavail > most) (it)->f_bavail = most;                                                 \
        if ((it)->f_bfree > most) (it)->f_bfree = most;                                                   \
    }

int statvfs(const char *path, struct statvfs *it) {
    begin();
    int result = real_statvfs(path, it);
    LESS(result, path, it)
    return result;
}

int statvfs64(const char *path, struct statvfs64 *it) {
    begin();
    int result = real_statvfs64(path, it);
    LESS(result, path, it)
    return result;
}
