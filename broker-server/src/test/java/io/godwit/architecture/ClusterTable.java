package io.godwit.architecture;

import java.util.ArrayList;
import java.util.List;

/** The packages of broker-cluster. */
final class ClusterTable {
    private static final String TRANSPORT =
            "only cluster.jgroups sees JGroups: take it as a Transport";

    private ClusterTable() {}

    static List<Allowed> table() {
        List<Allowed> all = new ArrayList<>();
        all.add(cluster("cluster", PersistenceTable.WIRING, "cluster.tls"));
        all.add(cluster("cluster.transport", TRANSPORT, "core..", "cluster"));
        all.add(cluster("cluster.membership", TRANSPORT, "core..", "cluster", "cluster.transport"));
        all.add(
                cluster(
                        "cluster.leadership",
                        TRANSPORT,
                        "core..",
                        "cluster.membership",
                        "cluster.transport"));
        all.add(
                cluster(
                        "cluster.stream",
                        TRANSPORT,
                        "core..",
                        "cluster.leadership",
                        "cluster.membership",
                        "cluster.transport"));
        all.add(
                cluster(
                        "cluster.publish",
                        TRANSPORT,
                        "core..",
                        "cluster.stream",
                        "cluster.transport"));
        all.add(
                cluster(
                        "cluster.routes",
                        TRANSPORT,
                        "core..",
                        "cluster.publish",
                        "cluster.stream"));
        all.add(
                cluster(
                        "cluster.retained",
                        TRANSPORT,
                        "core..",
                        "cluster.publish",
                        "cluster.stream"));
        all.add(
                new Allowed(
                        "cluster.remote",
                        List.of("core..", "cluster.transport"),
                        List.of(
                                "java..",
                                "io.netty.buffer..",
                                "io.netty.util.collection..",
                                "org.jspecify.annotations",
                                "org.slf4j"),
                        "bytes of clients go by a Wire and by messages: nothing of other rooms"));
        all.add(
                cluster(
                        "cluster.broker",
                        TRANSPORT,
                        "core..",
                        "cluster.leadership",
                        "cluster.membership",
                        "cluster.publish",
                        "cluster.question",
                        "cluster.registration",
                        "cluster.replication",
                        "cluster.remote",
                        "cluster.retained",
                        "cluster.routes",
                        "cluster.stream",
                        "cluster.transport"));
        all.add(cluster("cluster.question", TRANSPORT, "core..", "cluster.transport"));
        all.add(cluster("cluster.registration", TRANSPORT, "core..", "cluster.transport"));
        all.add(cluster("cluster.replication", TRANSPORT, "core..", "cluster.transport"));
        all.add(
                new Allowed(
                        "cluster.tls",
                        List.of("core.failure"),
                        List.of(
                                "java..",
                                "javax.net.ssl..",
                                "javax.security.auth.x500..",
                                "org.jspecify.annotations"),
                        "certificates are files and the JDK's: nothing of the cluster"));
        all.add(
                new Allowed(
                        "cluster.jgroups",
                        List.of("core.failure", "cluster", "cluster.tls", "cluster.transport"),
                        List.of(
                                "java..",
                                "javax.net.ssl..",
                                "org.jspecify.annotations",
                                "org.slf4j",
                                "org.jgroups.."),
                        TRANSPORT));
        all.add(
                cluster(
                        "cluster.node",
                        TRANSPORT,
                        "core..",
                        "cluster",
                        "cluster.leadership",
                        "cluster.membership",
                        "cluster.replication",
                        "cluster.transport"));
        return all;
    }

    private static Allowed cluster(String name, String instead, String... ours) {
        return new Allowed(
                name,
                List.of(ours),
                List.of("java..", "org.jctools..", "org.jspecify.annotations", "org.slf4j"),
                instead);
    }
}
