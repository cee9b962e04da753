package io.godwit.server.config;

import java.util.List;
import java.util.Optional;

/**
 * The part of {@link Keys} about the node and its process: {@code node}, {@code server}, {@code
 * security}, {@code admin}, {@code log}, {@code sys}, {@code stop} and {@code session}.
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
                    "What this node is called: in each line of the log with log.format: json (with text in the"
                            + " line that says that it is ready), and in the metric godwit_node."
                            + " Empty: the machine's host name.");

    static final Key<String> NODE_DATA =
            TABLE.key(
                    "node.data",
                    ValueType.text("a folder", text -> !text.isEmpty()),
                    "data",
                    "The folder for everything that must outlive the process. Relative paths, here and"
                            + " elsewhere, begin at Godwit's own folder.");

    static final Key<Long> NODE_MEMORY =
            TABLE.key(
                    MemoryKey.NAME,
                    MemoryKey.TYPE,
                    0L,
                    "Memory that the whole process may use. The launcher divides it into Java heap, network"
                            + " buffers and the store's share. 0: the container's limit, or half of"
                            + " the machine where there is none.");

    static final Key<Long> SERVER_SHARDS =
            TABLE.key(
                    "server.shards",
                    Quantity.number(0, 1024),
                    0L,
                    "Threads that carry connections and sessions. 0: one per core.");

    static final Key<ServerConfig.Transport> SERVER_TRANSPORT =
            TABLE.key(
                    "server.transport",
                    ValueType.oneOf(ServerConfig.Transport.class),
                    ServerConfig.Transport.AUTO,
                    "How sockets are driven. auto: epoll where it loads (Linux), else Java's NIO.");

    static final Key<Long> SERVER_OPEN_FILES_RESERVE =
            TABLE.key(
                    "server.open-files-reserve",
                    Quantity.number(0, 1_000_000),
                    256L,
                    "Open files that clients never get, out of the process's limit (ulimit -n): store"
                            + " and cluster need some. At most a quarter of the limit is taken.");

    static final Key<SecurityConfig.Anonymous> SECURITY_ANONYMOUS =
            TABLE.key(
                    "security.anonymous",
                    ValueType.oneOf(SecurityConfig.Anonymous.class),
                    SecurityConfig.Anonymous.LOOPBACK,
                    "Who may connect without being known: clients on this machine (loopback), nobody,"
                            + " or everyone who reaches a listener. User name and password are then"
                            + " accepted unread.");

    static final Key<Optional<BindAddress>> ADMIN_BIND =
            TABLE.key(
                    "admin.bind",
                    ValueType.address(true),
                    Optional.of(new BindAddress("127.0.0.1", 8081)),
                    "Where health, metrics and the list of clients are served over HTTP, to anyone who"
                            + " reaches it.");

    static final Key<List<String>> ADMIN_HOSTS =
            TABLE.key(
                    "admin.hosts",
                    ValueType.words(
                            "a list of *, or host names without a port",
                            text -> text.matches("\\*|[A-Za-z0-9._-]{1,253}")),
                    List.of(),
                    "Names by which the admin port may be asked (the Host of a request), beside"
                            + " addresses, localhost and this machine's name; * for any, which lets any"
                            + " web page that somebody has open in a browser here read it. /health is"
                            + " answered under every name.");

    static final Key<String> ADMIN_TOKEN =
            TABLE.key(
                    "admin.token",
                    ValueType.secret(
                            "empty, or 16 to 256 characters without blanks",
                            text -> text.isEmpty() || text.matches("[!-~]{16,256}")),
                    "",
                    "Who sends Authorization: Bearer with this may let the broker do what the admin"
                            + " port can (a backup), from anywhere; others may not. Better in the"
                            + " environment (GODWIT_ADMIN_TOKEN) than here. Empty: it is asked for on"
                            + " this machine, with a header of its own that no web page can send.");

    static final Key<Long> ADMIN_REQUEST_TIMEOUT =
            TABLE.key(
                    "admin.request-timeout",
                    Quantity.millis(100, 600_000),
                    10_000L,
                    "Time for a request, from its first byte until its client has taken the answer; a"
                            + " backup may work longer. Then the connection is closed. When many"
                            + " wait, those that have waited longest go first, sooner than this.");

    static final Key<LogConfig.Level> LOG_LEVEL =
            TABLE.key(
                    "log.level",
                    ValueType.oneOf(LogConfig.Level.class),
                    LogConfig.Level.INFO,
                    "The least that is logged. debug: a line per connection; trace: one per packet.");

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
                    "How often the $SYS topics are published. 0: there are none.");

    static final Key<Long> STOP_TIMEOUT =
            TABLE.key(
                    "stop.timeout",
                    Quantity.millis(100, 3_600_000),
                    10_000L,
                    "How long an orderly stop may take (telling clients, wills, flushing). Keep it"
                            + " below what systemd or Kubernetes wait before they kill.");

    static final Key<Long> CLOCK_HOLD =
            TABLE.key(
                    "session.clock-hold",
                    Quantity.millis(1_000, 86_400_000),
                    60_000L,
                    "How long a wall clock that has jumped must show its new time until sessions and"
                            + " messages expire by it. One that is behind what the store has seen"
                            + " when the broker starts is not believed until it has passed that.");

    private NodeKeys() {}
}
