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
                    "Whether this node is part of a cluster. docs/cluster.md describes what the"
                            + " nodes share so far.");

    static final Key<String> NAME =
            TABLE.key(
                    "cluster.name",
                    ValueType.text(
                            "1 to 64 of a-z A-Z 0-9 . _ -",
                            text -> text.matches("[A-Za-z0-9._-]{1,64}")),
                    "godwit",
                    "The name of the cluster. A node with another cluster name is refused.");

    static final Key<Optional<BindAddress>> BIND =
            TABLE.key(
                    "cluster.bind",
                    ValueType.address(false),
                    Optional.of(new BindAddress("127.0.0.1", 7800)),
                    "Where this node listens for other nodes, and where they reach it: one address "
                            + "of this machine, not a wildcard. Anything but loopback needs cluster.tls or "
                            + "cluster.insecure.");

    static final Key<ClusterConfig.Discovery> DISCOVERY =
            TABLE.key(
                    "cluster.discovery",
                    ValueType.oneOf(ClusterConfig.Discovery.class),
                    ClusterConfig.Discovery.STATIC,
                    "How this node finds others. static: cluster.seeds are addresses of nodes. dns, "
                            + "kubernetes: cluster.seeds is a DNS name with the address of each node (a "
                            + "headless service), all with the same port; a name that begins with _ is looked "
                            + "up as SRV records. file: cluster.seeds is a folder that all nodes share. "
                            + "multicast: in the local network, without seeds.");

    static final Key<List<String>> SEEDS =
            TABLE.key(
                    "cluster.seeds",
                    ValueType.words(
                            "a list of host:port, [IPv6 address]:port, names or folders",
                            text -> !text.isEmpty() && text.length() <= 255),
                    List.of(),
                    "Where other nodes are found, depending on cluster.discovery. With static: "
                            + "host:port of some or all nodes; this node may be among them, and a single node "
                            + "needs none.");

    static final Key<Long> COPIES =
            TABLE.key(
                    "cluster.copies",
                    Quantity.number(1, 5),
                    2L,
                    "On how many nodes a durable session and its queue are stored. A message for it"
                            + " is acknowledged when so many have it, or as many of them as are up."
                            + " More than one needs durability.store: rocksdb; with memory the"
                            + " default is 1.");

    static final Key<ClusterConfig.Confirm> CONFIRM =
            TABLE.key(
                    "cluster.confirm",
                    ValueType.oneOf(ClusterConfig.Confirm.class),
                    ClusterConfig.Confirm.COMMITTED,
                    "When another node's copy counts. committed: when it is on that node's disk."
                            + " received: when it is in that node's memory, so that a message may be"
                            + " lost if all nodes that have it lose power at once.");

    static final Key<Long> COPY_RATE =
            TABLE.key(
                    "cluster.copy-rate",
                    Quantity.bytes(1 << 20, 1L << 40),
                    32L << 20,
                    "How many bytes per second a node reads to fill the copies of its sessions at"
                            + " one other node, after that one has joined or was away for long.");

    static final Key<Long> NODES =
            TABLE.key(
                    "cluster.nodes",
                    Quantity.number(1, 1_000),
                    1L,
                    "With how many nodes the cluster begins. A node whose data folder is new lets"
                            + " no clients in until it has found so many, itself included, or one"
                            + " that serves already. Nodes that start at the same moment begin one"
                            + " cluster instead of several. Later starts do not wait for it.");

    static final Key<Long> FAILURE_TIMEOUT =
            TABLE.key(
                    "cluster.failure-timeout",
                    Quantity.millis(500, 600_000),
                    4_000L,
                    "A node from which nothing is heard for this long is considered gone. A node "
                            + "whose connections close, because it was killed for example, is noticed sooner.");

    static final Key<Long> MERGE_INTERVAL =
            TABLE.key(
                    "cluster.merge-interval",
                    Quantity.millis(500, 600_000),
                    2_000L,
                    "The longest interval at which separate parts of a cluster look for each other: "
                            + "after a network partition, or when nodes have started at the same moment.");

    static final Key<Long> PEER_TIMEOUT =
            TABLE.key(
                    "cluster.peer-timeout",
                    Quantity.millis(500, 600_000),
                    5_000L,
                    "The longest time that anything waits for a node that does not answer. A start "
                            + "waits this long for earlier members that are missing.");

    static final Key<Long> START_WAIT =
            TABLE.key(
                    "cluster.start-wait",
                    Quantity.millis(500, 600_000),
                    30_000L,
                    "A starting node accepts clients when it knows the subscriptions and retained"
                            + " messages of all nodes that are up, or after this time.");

    static final Key<Long> CLAIM_WAIT =
            TABLE.key(
                    "cluster.claim-wait",
                    Quantity.millis(500, 600_000),
                    10_000L,
                    "A client whose client identifier another node is responsible for waits so long"
                            + " for its CONNACK while that node is out of reach. Then it is refused"
                            + " (0x88, in 3.x 3), or disconnected if that node may have accepted"
                            + " it.");

    static final Key<Long> FAILOVER_TIMEOUT =
            TABLE.key(
                    "cluster.failover-timeout",
                    Quantity.millis(500, 600_000).orNever(0),
                    6_000L,
                    "With cluster.copies above 1: whether and when another node takes over the"
                            + " sessions of one that is gone. never: they wait for its return. A"
                            + " time: after a sixth of it if the node has ended, or is silent and a"
                            + " third one does not hear it either, else after all of it; more than"
                            + " half of the nodes have to agree, those not counted that have ended."
                            + " Then also a leader that hears less than half acknowledges nothing"
                            + " without its followers. The same on all nodes.");

    static final Key<Long> REBALANCE_AFTER =
            TABLE.key(
                    "cluster.rebalance-after",
                    Quantity.millis(1_000, 86_400_000).orNever(0),
                    60_000L,
                    "Unless cluster.failover-timeout is never: a node that has been up for so long"
                            + " gets sessions of the node that serves the most of them, once it has"
                            + " copies of these. Clients of the node that gives them have to connect again."
                            + " never: sessions stay where they are. The same on all nodes.");

    static final Key<ClusterConfig.LeaderAway> LEADER_AWAY =
            TABLE.key(
                    "cluster.leader-away",
                    ValueType.oneOf(ClusterConfig.LeaderAway.class),
                    ClusterConfig.LeaderAway.WAIT,
                    "What happens to a QoS 1 or 2 message when a node that has sessions for it is"
                            + " out of reach. wait: it is acknowledged when that node is back and"
                            + " has it."
                            + " refuse: an MQTT 5.0 client gets 0x97 at once; messages of older"
                            + " clients wait, since their protocol has no such answer.");

    static final Key<Boolean> DRAIN =
            TABLE.key(
                    "cluster.drain",
                    ValueType.bool(),
                    true,
                    "Whether a node that is stopped while others are up sends its clients to them"
                            + " and passes on what waits in shared groups, and nodes with copies lead"
                            + " its durable sessions before it stops, unless"
                            + " cluster.failover-timeout is never. Otherwise it stops at once.");

    static final Key<Long> DRAIN_WAIT =
            TABLE.key(
                    "cluster.drain-wait",
                    Quantity.millis(100, 3_600_000).orZero(),
                    2_000L,
                    "With cluster.drain: a node that is stopped reports at once that it is not"
                            + " ready, and serves its clients for this long, so that load"
                            + " balancers notice. Then it disconnects its clients, some at a time."
                            + " All of this happens within stop.timeout, of which waiting takes at"
                            + " most half. 0: it does not wait.");

    static final Key<String> SERVER_REFERENCE =
            TABLE.key(
                    "cluster.server-reference",
                    ValueType.text(
                            "up to 255 characters, such as host:port host:port",
                            text -> text.length() <= 255),
                    "",
                    "With cluster.drain: where MQTT 5.0 clients are sent (Server Reference in"
                            + " DISCONNECT 0x9C): the other nodes, or the load balancer. Empty:"
                            + " they are told to use another server, but not which one.");

    static final Key<Long> CLOCK_OFFSET =
            TABLE.key(
                    "cluster.max-clock-offset",
                    Quantity.millis(100, 3_600_000),
                    5_000L,
                    "A node whose clock is further ahead than this is refused, and nothing is "
                            + "accepted from it.");

    static final Key<Long> FORGET_AFTER =
            TABLE.key(
                    "cluster.forget-after",
                    Quantity.seconds(10, 31_536_000).orNever(0),
                    604_800L,
                    "A node to which no other node has had a link for this long is forgotten, as"
                            + " with 'godwit cluster forget': nothing waits for it any more, and its"
                            + " sessions are lost that no other node has a whole copy of. Only time"
                            + " during which this node runs counts. If the forgotten node returns"
                            + " after all, it joins again.");

    static final Key<Boolean> INSECURE =
            TABLE.key(
                    "cluster.insecure",
                    ValueType.bool(),
                    false,
                    "Whether nodes may communicate without TLS on addresses other than loopback."
                            + " Anyone who can reach cluster.bind can then read and write every"
                            + " message.");

    static final Key<String> TLS_CA =
            TABLE.key(
                    "cluster.tls.ca",
                    ValueType.text("a file", text -> true),
                    "",
                    "PEM file: the certificate authority that signs the nodes' certificates and no"
                            + " others. 'godwit cluster-cert' creates it. Set all three files or"
                            + " none.");

    static final Key<String> TLS_CERTIFICATE =
            TABLE.key(
                    "cluster.tls.certificate",
                    ValueType.text("a file", text -> true),
                    "",
                    "PEM file: this node's certificate.");

    static final Key<String> TLS_KEY =
            TABLE.key(
                    "cluster.tls.key",
                    ValueType.text("a file", text -> true),
                    "",
                    "PEM file: its private key, PKCS#8, not encrypted.");

    private ClusterKeys() {}
}
