/*
 * The limit: what forwarding the same bytes costs without understanding them. It answers CONNECT and SUBSCRIBE, joins a
 * publisher to the subscribers of its first topic, and from then on passes on whatever it reads: PUBLISH one way, PUBACK
 * the other (of several subscribers the first one's). One thread, epoll, one read and one write per wake-up.
 *
 *   cc -O2 -o relay relay.c && ./relay PORT
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { FDS = 20000, READ_BYTES = 64 * 1024, PEERS_MAX = 1000, TOPIC_MAX = 64 };

struct connection {
    char topic[TOPIC_MAX];   /* first filter of a subscriber */
    int publisher;           /* fd that a subscriber's PUBACKs go to; 0 = none, -1 = to nobody */
    int *peers, peer_count;  /* fds of a publisher's subscribers */
    unsigned char *rest;     /* start of a packet that isn't complete yet */
    size_t rest_bytes;
};

static struct connection *connections[FDS];
static unsigned char in[READ_BYTES * 2];
static int epoll;

/* Sockets block when written to: the load program always reads. */
static void write_all(int fd, const unsigned char *bytes, size_t count) {
    while (count > 0) {
        ssize_t n = send(fd, bytes, count, MSG_NOSIGNAL);
        if (n < 0) return;
        bytes += n;
        count -= n;
    }
}

static void forward(struct connection *c, const unsigned char *bytes, size_t count) {
    if (c->publisher > 0) write_all(c->publisher, bytes, count);
    for (int i = 0; i < c->peer_count; i++) write_all(c->peers[i], bytes, count);
}

static void join(int fd, const unsigned char *topic, size_t length) {
    struct connection *publisher = connections[fd];
    publisher->peers = malloc(PEERS_MAX * sizeof(int));
    for (int s = 0; s < FDS && publisher->peer_count < PEERS_MAX; s++) {
        struct connection *c = connections[s];
        if (c == NULL || strlen(c->topic) != length || memcmp(c->topic, topic, length) != 0) continue;
        c->publisher = publisher->peer_count == 0 ? fd : -1;
        publisher->peers[publisher->peer_count++] = s;
    }
}

static void suback(int fd, struct connection *c, const unsigned char *body, size_t length) {
    size_t first = body[2] << 8 | body[3];
    if (c->topic[0] == 0 && first < TOPIC_MAX) memcpy(c->topic, body + 4, first);
    size_t codes = 0;
    unsigned char out[1024] = {0x90};
    for (size_t at = 2; at < length; at += 3 + (body[at] << 8 | body[at + 1])) codes++;
    size_t header = 2 + codes < 128 ? 2 : 3;
    out[1] = header == 2 ? 2 + codes : ((2 + codes) & 0x7F) | 0x80;
    if (header == 3) out[2] = (2 + codes) >> 7;
    out[header] = body[0];
    out[header + 1] = body[1];
    memset(out + header + 2, body[length - 1], codes);
    write_all(fd, out, header + 2 + codes);
}

/* Bytes used up of what was read. */
static size_t understand(int fd, struct connection *c, size_t count) {
    size_t at = 0;
    while (count - at >= 2) {
        if (c->publisher != 0 || c->peer_count > 0) {
            forward(c, in + at, count - at);
            return count;
        }
        size_t length = 0, body = at + 1, shift = 0;
        do {
            if (body == count) return at;
            length |= (size_t)(in[body] & 0x7F) << shift;
            shift += 7;
        } while (in[body++] & 0x80);
        if (length > count - body) return at;
        int type = in[at] & 0xF0;
        if (type == 0x10) write_all(fd, (unsigned char[]){0x20, 2, 0, 0}, 4);
        if (type == 0x80) suback(fd, c, in + body, length);
        if (type == 0x30) {
            join(fd, in + body + 2, in[body] << 8 | in[body + 1]);
            if (c->peer_count > 0) continue;
        }
        at = body + length;
    }
    return at;
}

static void end(int fd) {
    struct connection *c = connections[fd];
    free(c->peers);
    free(c->rest);
    free(c);
    connections[fd] = NULL;
    close(fd);
}

static void readable(int fd) {
    struct connection *c = connections[fd];
    if (c->rest_bytes > 0) memcpy(in, c->rest, c->rest_bytes);
    ssize_t n = recv(fd, in + c->rest_bytes, READ_BYTES, MSG_DONTWAIT);
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) {
        end(fd);
        return;
    }
    size_t count = n + c->rest_bytes;
    size_t used = understand(fd, c, count);
    c->rest_bytes = count - used;
    if (c->rest_bytes > 0) {
        c->rest = realloc(c->rest, READ_BYTES);
        memmove(c->rest, in + used, c->rest_bytes);
    }
}

static void accept_one(int listener) {
    int fd = accept(listener, NULL, NULL);
    if (fd < 0) return;
    if (fd >= FDS) {
        close(fd);
        return;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    connections[fd] = calloc(1, sizeof(struct connection));
    epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &(struct epoll_event){.events = EPOLLIN, .data.fd = fd});
}

int main(int argc, char **argv) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    address.sin_port = htons(argc > 1 ? atoi(argv[1]) : 1883);
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 1024) != 0) {
        perror("relay");
        return 1;
    }
    epoll = epoll_create1(0);
    epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &(struct epoll_event){.events = EPOLLIN, .data.fd = listener});
    struct epoll_event ready[256];
    for (;;) {
        int n = epoll_wait(epoll, ready, 256, -1);
        for (int i = 0; i < n; i++) {
            if (ready[i].data.fd == listener) accept_one(listener);
            else if (connections[ready[i].data.fd] != NULL) readable(ready[i].data.fd);
        }
    }
}
