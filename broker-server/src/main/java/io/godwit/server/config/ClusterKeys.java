package io.godwit.server.config;

import java.util.List;
import java.util.Optional;

/** The part of {@link Keys} about other nodes: {@code cluster}. */
final class ClusterKeys {
    private static final KeyTable TABLE = new KeyTable();

    /** In the order of the file. */
    static final List<Key<?>> ALL = TABLE.keys();

    static final Key<Boolean> ENABLED =
            TABLE.key(
                    "cluster.enabled",
                    ValueType.bool(),
                    false,
                    "Whether this node is one of several. docs/cluster.md says what they share by now.");

    static final Key<String> NAME =
            TABLE.key(
                    "cluster.name",
                    ValueType.text(
                            "1 to 64 of a-z A-Z 0-9 . _ -",
                            text -> text.matches("[A-Za-z0-9._-]{1,64}")),
                    "godwit",
                    "What the cluster is called. A node with another name is refused.");

    static final Key<Optional<BindAddress>> BIND =
            TABLE.key(
                    "cluster.bind",
                    ValueType.address(false),
                    Optional.of(new BindAddress("127.0.0.1", 7800)),
                    "Where this node listens for others, and where they reach it: an address of this"
                            + " machine, not every one. Beyond loopback it needs cluster.tls or"
                            + " cluster.insecure.");

    static final Key<ClusterConfig.Discovery> DISCOVERY =
            TABLE.key(
                    "cluster.discovery",
                    ValueType.oneOf(ClusterConfig.Discovery.class),
                    ClusterConfig.Discovery.STATIC,
                    "How this node finds others. static: cluster.seeds are addresses of nodes. dns,"
                            + " kubernetes: cluster.seeds is a name in the DNS that has the address of"
                            + " each node (a headless service), all with the same port; one that"
                            + " begins with _ is asked for SRV records. file: cluster.seeds is a"
                            + " folder that all nodes share. multicast: in the local network, without"
                            + " seeds.");

    static final Key<List<String>> SEEDS =
            TABLE.key(
                    "cluster.seeds",
                    ValueType.words(
                            "a list of host:port, [IPv6 address]:port, names or folders",
                            text -> !text.isEmpty() && text.length() <= 255),
                    List.of(),
                    "Where others are found, as cluster.discovery says. With static: host:port of some"
                            + " or all nodes; this node may be among them, and one that is alone needs"
                            + " none.");

    static final Key<Long> COPIES =
            TABLE.key(
                    "cluster.copies",
                    Quantity.number(1, 1),
                    1L,
                    "On how many nodes a durable session and its queue are kept. More than one is to"
                            + " come.");

    static final Key<Long> FAILURE_TIMEOUT =
            TABLE.key(
                    "cluster.failure-timeout",
                    Quantity.millis(500, 600_000),
                    4_000L,
                    "A node that is not heard for so long is taken for gone by the others. One whose"
                            + " connections close, such as one that was killed, is noticed sooner.");

    static final Key<Long> MERGE_INTERVAL =
            TABLE.key(
                    "cluster.merge-interval",
                    Quantity.millis(500, 600_000),
                    2_000L,
                    "So often, at most, parts of a cluster look for each other: after a cut, or when"
                            + " nodes have started at the same moment.");

    static final Key<Long> PEER_TIMEOUT =
            TABLE.key(
                    "cluster.peer-timeout",
                    Quantity.millis(500, 600_000),
                    5_000L,
                    "Nobody waits longer for a node that does not answer. A start waits so long for"
                            + " nodes that were members before and are not there.");

    static final Key<Long> START_WAIT =
            TABLE.key(
                    "cluster.start-wait",
                    Quantity.millis(500, 600_000),
                    30_000L,
                    "A start lets clients in when it knows the filters and retained messages of all nodes"
                            + " that are there, or after so long.");

    static final Key<ClusterConfig.HomeAway> HOME_AWAY =
            TABLE.key(
                    "cluster.home-away",
                    ValueType.oneOf(ClusterConfig.HomeAway.class),
                    ClusterConfig.HomeAway.WAIT,
                    "What becomes of a message of QoS 1 or 2 when a node that it goes to is out of"
                            + " reach. wait: it is acknowledged when that node is back and has it."
                            + " refuse: an MQTT 5.0 client is told so at once, with 0x97; messages of"
                            + " other clients wait, since these cannot be told.");

    static final Key<Boolean> DRAIN =
            TABLE.key(
                    "cluster.drain",
                    ValueType.bool(),
                    false,
                    "Whether a node that is stopped while others are there sends its clients to them and"
                            + " hands its durable sessions over. Otherwise these wait for its return."
                            + " docs/cluster.md says what is open of moves under traffic.");

    static final Key<Long> DRAIN_WAIT =
            TABLE.key(
                    "cluster.drain-wait",
                    Quantity.millis(100, 3_600_000).orZero(),
                    2_000L,
                    "With cluster.drain: a node that is stopped says at once that it is not ready, and"
                            + " serves its clients for so long, until balancers have noticed;"
                            + " then its clients are told, and its durable sessions go to the other"
                            + " nodes. All of it within stop.timeout, of which waiting takes half at"
                            + " most. 0: it does not wait.");

    static final Key<String> SERVER_REFERENCE =
            TABLE.key(
                    "cluster.server-reference",
                    ValueType.text(
                            "up to 255 characters, such as host:port host:port",
                            text -> text.length() <= 255),
                    "",
                    "With cluster.drain: where clients of MQTT 5.0 are sent (Server Reference in DISCONNECT 0x9C): the other nodes, or the"
                            + " balancer. Empty: they are told to go, and not where.");

    static final Key<Long> CLOCK_OFFSET =
            TABLE.key(
                    "cluster.max-clock-offset",
                    Quantity.millis(100, 3_600_000),
                    5_000L,
                    "A node whose clock is further ahead is refused, and nothing is taken from it.");

    static final Key<Boolean> INSECURE =
            TABLE.key(
                    "cluster.insecure",
                    ValueType.bool(),
                    false,
                    "Whether nodes may talk without TLS beyond loopback. Whoever reaches cluster.bind can"
                            + " then read and write every message.");

    static final Key<String> TLS_CA =
            TABLE.key(
                    "cluster.tls.ca",
                    ValueType.text("a file", text -> true),
                    "",
                    "PEM file: the authority of the nodes' certificates, the cluster's own and nobody"
                            + " else's. 'godwit cluster-cert' makes it. All three files, or none.");

    static final Key<String> TLS_CERTIFICATE =
            TABLE.key(
                    "cluster.tls.certificate",
                    ValueType.text("a file", text -> true),
                    "",
                    "PEM file: the certificate of this node.");

    static final Key<String> TLS_KEY =
            TABLE.key(
                    "cluster.tls.key",
                    ValueType.text("a file", text -> true),
                    "",
                    "PEM file: its private key, PKCS#8, without a password.");

    private ClusterKeys() {}
}
