package io.godwit.server.config;

import java.util.List;
import java.util.Optional;

/**
 * The part of {@link Keys} about the node and its process: {@code node}, {@code server}, {@code
 * admin}, {@code log}, {@code sys}, {@code stop}, {@code session} and {@code tls}.
 */
final class NodeKeys {
    private static final long DAY = 24 * 3600;

    private static final KeyTable TABLE = new KeyTable();

    /** In the order of the file. */
    static final List<Key<?>> ALL = TABLE.keys();

    static final Key<String> NODE_NAME =
            TABLE.key(
                    "node.name",
                    ValueType.text(
                            "empty, or up to 64 of a-z A-Z 0-9 . _ -",
                            text -> text.matches("[A-Za-z0-9._-]{0,64}")),
                    "",
                    "The name of this node. It appears in every log line with log.format: json "
                            + "(with text, in the line that reports the broker ready) and in the metric "
                            + "godwit_build_info. Empty: the machine's host name.");

    static final Key<String> NODE_DATA =
            TABLE.key(
                    "node.data",
                    ValueType.path("a folder", text -> !text.isEmpty()),
                    "data",
                    "The folder for everything that must survive a restart. Relative paths, here "
                            + "and elsewhere, begin at the folder of the configuration file, or at "
                            + "the one above it if that is called conf; without a file at the "
                            + "current folder. When this key is left out: the folder data beside "
                            + "the program.");

    static final Key<Long> NODE_MEMORY =
            TABLE.key(
                    MemoryKey.NAME,
                    MemoryKey.TYPE,
                    0L,
                    "Memory that the whole process may use. It is divided into Java heap, network "
                            + "buffers and the store's share. 0: the container's limit, or half of the "
                            + "machine's memory where there is none.");

    static final Key<Long> SERVER_SHARDS =
            TABLE.key(
                    "server.shards",
                    Quantity.number(0, 1024),
                    0L,
                    "Threads that serve connections and sessions. 0: one per core.");

    static final Key<ServerConfig.Transport> SERVER_TRANSPORT =
            TABLE.key(
                    "server.transport",
                    ValueType.oneOf(ServerConfig.Transport.class),
                    ServerConfig.Transport.AUTO,
                    "The network I/O. auto: epoll where it is available (Linux), otherwise Java's "
                            + "NIO.");

    static final Key<Long> SERVER_OPEN_FILES_RESERVE =
            TABLE.key(
                    "server.open-files-reserve",
                    Quantity.number(0, 1_000_000),
                    256L,
                    "Open files, out of the process's limit (ulimit -n), that are reserved for the "
                            + "store and the cluster and not available to connections. At most a quarter of "
                            + "the limit is reserved.");

    static final Key<Optional<BindAddress>> ADMIN_BIND =
            TABLE.key(
                    "admin.bind",
                    ValueType.address(true),
                    Optional.of(new BindAddress("127.0.0.1", 8081)),
                    "Where health, metrics and the list of clients are served over HTTP. On an "
                            + "address that other machines reach everything but /health needs "
                            + "admin.token.");

    static final Key<List<String>> ADMIN_HOSTS =
            TABLE.key(
                    "admin.hosts",
                    ValueType.words(
                            "a list of *, or host names without a port",
                            text -> text.matches("\\*|[A-Za-z0-9._-]{1,253}")),
                    List.of(),
                    "Host names under which the admin port may be accessed (the Host header), in "
                            + "addition to addresses, localhost and this machine's name. * allows any name, "
                            + "and with it any web page that is open in a browser here to read it. /health is "
                            + "answered under every name.");

    static final Key<String> ADMIN_TOKEN =
            TABLE.key(
                    "admin.token",
                    ValueType.secret(
                            "empty, or 16 to 256 characters without blanks",
                            text -> text.isEmpty() || text.matches("[!-~]{16,256}")),
                    "",
                    "Requests that carry it (Authorization: Bearer <token>) may change something"
                            + " (a backup, for example), from any machine; requests without it may"
                            + " not. Set it in the environment (GODWIT_ADMIN_TOKEN) rather than"
                            + " here. Empty: such requests are accepted from this machine only,"
                            + " with a header that no web page can send, and an admin.bind that"
                            + " other machines reach answers /health alone.");

    static final Key<Long> ADMIN_REQUEST_TIMEOUT =
            TABLE.key(
                    "admin.request-timeout",
                    Quantity.millis(100, 600_000),
                    10_000L,
                    "Time limit for a request, from its first byte until its client has received "
                            + "the answer; a backup may take longer. Then the connection is closed. When many "
                            + "connections are open, those that have waited longest are closed sooner.");

    static final Key<LogConfig.Level> LOG_LEVEL =
            TABLE.key(
                    "log.level",
                    ValueType.oneOf(LogConfig.Level.class),
                    LogConfig.Level.INFO,
                    "The lowest level that is logged. debug adds lines per connection, trace a line "
                            + "per packet.");

    static final Key<LogConfig.Format> LOG_FORMAT =
            TABLE.key(
                    "log.format",
                    ValueType.oneOf(LogConfig.Format.class),
                    LogConfig.Format.TEXT,
                    "text for people, json (one object per line) for log collectors.");

    static final Key<Long> SYS_INTERVAL =
            TABLE.key(
                    "sys.interval",
                    Quantity.seconds(1, DAY).orZero(),
                    10L,
                    "How often the $SYS topics are published. 0: never.");

    static final Key<Long> STOP_TIMEOUT =
            TABLE.key(
                    "stop.timeout",
                    Quantity.millis(100, 3_600_000),
                    10_000L,
                    "How long an orderly stop may take (notifying clients, publishing wills,"
                            + " flushing the store). Keep it below the time after which systemd or"
                            + " Kubernetes kills the process.");

    static final Key<Long> CLOCK_HOLD =
            TABLE.key(
                    "session.clock-hold",
                    Quantity.millis(1_000, 86_400_000),
                    60_000L,
                    "How long the wall clock must stay at its new time after a jump before"
                            + " sessions and messages expire by it. A clock that is behind the"
                            + " store's latest time when the broker starts is ignored until it has"
                            + " passed that time.");

    static final Key<Long> TLS_RELOAD =
            TABLE.key(
                    "tls.reload",
                    Quantity.seconds(1, DAY).orZero(),
                    10L,
                    "How often the broker looks whether certificates, keys, client authorities or "
                            + "revocation lists of a listener have changed. New handshakes use the new "
                            + "ones when they are right as a whole; connections stay. 0: only after "
                            + "SIGHUP or POST /reload.");

    private NodeKeys() {}
}
