package io.godwit.architecture;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.stream.Stream;

/**
 * Everything that a package may depend on besides itself; what is not named is forbidden.
 *
 * @param owner package below {@code io.godwit}
 * @param ours packages below {@code io.godwit}
 * @param others packages of the JDK and of libraries, as ArchUnit writes them
 * @param instead what to do about a violation
 */
record Allowed(String owner, List<String> ours, List<String> others, String instead) {
    /** An answer that comes later, on an executor that is passed in; nobody waits for it. */
    private static final Class<?>[] CALLED_BACK = {CompletableFuture.class, Executor.class};

    private static final String ROOT = "io.godwit.";
    private static final List<String> PLAIN_JAVA =
            List.of(
                    "java.lang..",
                    "java.math",
                    "java.nio",
                    "java.nio.charset",
                    "java.util",
                    "java.util.function",
                    "java.util.random",
                    "java.util.regex",
                    "java.util.stream",
                    "java.util.concurrent.atomic",
                    "org.jspecify.annotations");
    private static final List<String> CORE_LIBRARIES =
            List.of("io.netty.buffer", "org.jctools..", "org.slf4j");
    private static final String CORE =
            "core knows no channel, file, thread, clock or random source: take them as a port"
                    + " (Wire, Store, TimeSource, RandomGenerator) that broker-server implements";
    private static final String CORE_ORDER =
            "packages of core point from sessions to packets: move the type to the package below, or"
                    + " let the package above pass in what is needed";

    static List<Allowed> table() {
        List<Allowed> all = new ArrayList<>();
        all.add(
                new Allowed(
                        "extension",
                        List.of(),
                        List.of("java..", "org.jspecify.annotations"),
                        "what extensions compile against uses the JDK only"));
        all.add(core("packet"));
        all.add(core("id", "packet"));
        all.add(core("time"));
        all.add(core("auth", "packet"));
        all.add(core("codec", "packet"));
        all.add(core("metrics", "packet"));
        all.add(core("settings"));
        all.add(core("message", "id", "packet"));
        all.add(core("routing", "packet", "message", "metrics", "settings"));
        all.add(core("store", "id", "packet", "message", "routing"));
        all.add(core("operation", "id", "packet", "message", "store"));
        all.add(core("shard", "message", "metrics", "settings", "store", "time"));
        all.add(core("ack", "id", "message", "packet", "shard"));
        all.add(core("load", "settings", "shard", "store"));
        all.add(core("mail", "ack", "message", "packet", "routing", "settings", "shard"));
        all.add(
                core(
                        "queue",
                        "ack",
                        "id",
                        "load",
                        "message",
                        "metrics",
                        "packet",
                        "routing",
                        "settings",
                        "shard",
                        "store",
                        "time"));
        all.add(
                core(
                        "group",
                        "ack",
                        "id",
                        "message",
                        "metrics",
                        "packet",
                        "queue",
                        "routing",
                        "settings",
                        "store"));
        all.add(
                core(
                        "publish",
                        "ack",
                        "auth",
                        "codec",
                        "id",
                        "load",
                        "mail",
                        "message",
                        "metrics",
                        "packet",
                        "routing",
                        "settings",
                        "shard",
                        "store"));
        all.add(
                core(
                        "index",
                        "ack",
                        "auth",
                        "codec",
                        "id",
                        "load",
                        "mail",
                        "message",
                        "metrics",
                        "packet",
                        "publish",
                        "routing",
                        "settings",
                        "shard",
                        "store"));
        all.add(
                core(
                        "session",
                        "ack",
                        "codec",
                        "group",
                        "id",
                        "index",
                        "load",
                        "mail",
                        "message",
                        "metrics",
                        "operation",
                        "packet",
                        "publish",
                        "queue",
                        "routing",
                        "settings",
                        "shard",
                        "store",
                        "time"));
        all.add(
                core(
                        "takeover",
                        "ack",
                        "id",
                        "mail",
                        "message",
                        "packet",
                        "session",
                        "settings",
                        "shard",
                        "store"));
        all.add(
                core(
                        "connection",
                        "ack",
                        "auth",
                        "codec",
                        "index",
                        "load",
                        "mail",
                        "message",
                        "metrics",
                        "packet",
                        "publish",
                        "queue",
                        "routing",
                        "session",
                        "settings",
                        "shard",
                        "store",
                        "takeover",
                        "time"));
        all.add(
                core(
                        "node",
                        "ack",
                        "auth",
                        "codec",
                        "connection",
                        "group",
                        "id",
                        "index",
                        "load",
                        "message",
                        "metrics",
                        "packet",
                        "publish",
                        "queue",
                        "routing",
                        "session",
                        "settings",
                        "shard",
                        "store",
                        "takeover",
                        "time"));
        all.add(
                new Allowed(
                        "core",
                        List.of("core.."),
                        Stream.concat(PLAIN_JAVA.stream(), CORE_LIBRARIES.stream()).toList(),
                        CORE));
        String wiring =
                "persistence and cluster implement core's ports and don't know each other: let"
                        + " broker-server pass one to the other";
        all.add(persistence("persistence", wiring, "core..", "persistence.."));
        all.add(persistence("persistence.disk", "the port to the disk knows nobody above it"));
        all.add(persistence("persistence.codec", wiring, "core.."));
        all.add(persistence("persistence.files", wiring, "persistence.disk"));
        all.add(persistence("persistence.settings", wiring));
        all.add(persistence("persistence.work", wiring));
        all.add(persistence("persistence.health", wiring, "core.store"));
        all.add(
                persistence(
                        "persistence.space",
                        wiring,
                        "core.store",
                        "persistence.disk",
                        "persistence.settings"));
        all.add(
                new Allowed(
                        "persistence.rocks",
                        List.of("persistence.disk"),
                        List.of("java..", "org.jspecify.annotations", "org.slf4j", "org.rocksdb"),
                        "only this package sees RocksDB: the others use Disk"));
        all.add(
                persistence(
                        "persistence.journal",
                        wiring,
                        "core..",
                        "persistence.disk",
                        "persistence.health",
                        "persistence.settings",
                        "persistence.work"));
        all.add(
                persistence(
                        "persistence.queue",
                        wiring,
                        "core..",
                        "persistence.codec",
                        "persistence.disk",
                        "persistence.health",
                        "persistence.journal",
                        "persistence.settings"));
        all.add(
                persistence(
                        "persistence.window",
                        wiring,
                        "core..",
                        "persistence.codec",
                        "persistence.disk",
                        "persistence.health",
                        "persistence.journal",
                        "persistence.queue",
                        "persistence.settings",
                        "persistence.work"));
        all.add(
                persistence(
                        "persistence.reading",
                        wiring,
                        "core..",
                        "persistence.codec",
                        "persistence.disk",
                        "persistence.health",
                        "persistence.journal",
                        "persistence.queue",
                        "persistence.work"));
        all.add(
                persistence(
                        "persistence.upkeep",
                        wiring,
                        "core..",
                        "persistence.codec",
                        "persistence.disk",
                        "persistence.health",
                        "persistence.queue",
                        "persistence.settings",
                        "persistence.work"));
        all.add(
                persistence(
                        "persistence.recovery",
                        wiring,
                        "core..",
                        "persistence.codec",
                        "persistence.disk",
                        "persistence.health",
                        "persistence.journal",
                        "persistence.queue",
                        "persistence.settings",
                        "persistence.window"));
        all.add(
                persistence(
                        "persistence.inspect",
                        wiring,
                        "core..",
                        "persistence",
                        "persistence.codec",
                        "persistence.disk",
                        "persistence.files",
                        "persistence.health",
                        "persistence.journal",
                        "persistence.queue",
                        "persistence.recovery",
                        "persistence.rocks",
                        "persistence.settings",
                        "persistence.work"));
        all.add(
                persistence(
                        "persistence.upgrade",
                        wiring,
                        "core..",
                        "persistence.codec",
                        "persistence.disk",
                        "persistence.files",
                        "persistence.inspect",
                        "persistence.queue",
                        "persistence.recovery",
                        "persistence.rocks"));
        String transport = "only cluster.jgroups sees JGroups: take it as a Transport";
        all.add(cluster("cluster", wiring, "cluster.tls"));
        all.add(cluster("cluster.transport", transport, "core..", "cluster"));
        all.add(cluster("cluster.membership", transport, "core..", "cluster", "cluster.transport"));
        all.add(cluster("cluster.stream", transport, "core..", "cluster.transport"));
        all.add(
                cluster(
                        "cluster.publish",
                        transport,
                        "core..",
                        "cluster.stream",
                        "cluster.transport"));
        all.add(
                cluster(
                        "cluster.routes",
                        transport,
                        "core..",
                        "cluster.publish",
                        "cluster.stream"));
        all.add(
                cluster(
                        "cluster.retained",
                        transport,
                        "core..",
                        "cluster.publish",
                        "cluster.stream"));
        all.add(
                cluster(
                        "cluster.broker",
                        transport,
                        "core..",
                        "cluster.publish",
                        "cluster.retained",
                        "cluster.routes",
                        "cluster.stream",
                        "cluster.takeover",
                        "cluster.transport"));
        all.add(
                cluster(
                        "cluster.takeover",
                        transport,
                        "core..",
                        "cluster.membership",
                        "cluster.transport"));
        all.add(
                new Allowed(
                        "cluster.tls",
                        List.of(),
                        List.of(
                                "java..",
                                "javax.net.ssl..",
                                "javax.security.auth.x500..",
                                "org.jspecify.annotations"),
                        "certificates are files and the JDK's: nothing of the cluster"));
        all.add(
                new Allowed(
                        "cluster.jgroups",
                        List.of("cluster", "cluster.tls", "cluster.transport"),
                        List.of(
                                "java..",
                                "javax.net.ssl..",
                                "org.jspecify.annotations",
                                "org.slf4j",
                                "org.jgroups.."),
                        transport));
        all.add(
                cluster(
                        "cluster.node",
                        transport,
                        "core..",
                        "cluster",
                        "cluster.membership",
                        "cluster.transport"));
        all.add(
                new Allowed(
                        "server.config",
                        List.of("core.settings"),
                        List.of("java..", "org.jspecify.annotations", "com.fasterxml.jackson.."),
                        "configuration is read before anything else exists: let others take its"
                                + " records"));
        all.add(server("server.logging", "server.config"));
        all.add(server("server.http"));
        all.add(server("server.launch", "server", "server.config", "server.logging"));
        all.add(server("server.loop", "core.."));
        all.add(server("server.tls", "server.config", "server"));
        all.add(server("server.data", "core..", "server.config", "server"));
        all.add(
                server(
                        "server.listener",
                        "core..",
                        "server",
                        "server.config",
                        "server.http",
                        "server.logging",
                        "server.loop",
                        "server.tls"));
        all.add(
                server(
                        "server.admin",
                        "core..",
                        "server",
                        "server.config",
                        "server.http",
                        "server.listener",
                        "server.loop"));
        all.add(
                server(
                        "server.cluster",
                        "core..",
                        "cluster..",
                        "server",
                        "server.admin",
                        "server.config",
                        "server.data"));
        all.add(
                server(
                        "server.store",
                        "core..",
                        "persistence..",
                        "server",
                        "server.config",
                        "server.data",
                        "server.launch"));
        all.add(server("server", "core..", "persistence..", "cluster..", "server.."));
        return all;
    }

    private static Allowed core(String name, String... below) {
        return new Allowed(
                "core." + name,
                Stream.of(below).map(each -> "core." + each).toList(),
                Stream.concat(PLAIN_JAVA.stream(), CORE_LIBRARIES.stream()).toList(),
                CORE + "; " + CORE_ORDER);
    }

    private static Allowed persistence(String name, String instead, String... ours) {
        return new Allowed(
                name,
                List.of(ours),
                List.of("java..", "org.jctools..", "org.jspecify.annotations", "org.slf4j"),
                instead);
    }

    private static Allowed cluster(String name, String instead, String... ours) {
        return new Allowed(
                name,
                List.of(ours),
                List.of("java..", "org.jctools..", "org.jspecify.annotations", "org.slf4j"),
                instead);
    }

    private static Allowed server(String name, String... ours) {
        return new Allowed(
                name,
                List.of(ours),
                List.of(
                        "java..",
                        "javax..",
                        "org.jspecify.annotations",
                        "io.netty..",
                        "org.jctools..",
                        "org.slf4j..",
                        "ch.qos.logback..",
                        "io.micrometer..",
                        "io.prometheus..",
                        "com.fasterxml.jackson..",
                        "picocli",
                        "com.sun.management"),
                "only Server wires the packages of the program: take what you need by constructor");
    }

    String packageName() {
        return ROOT + owner;
    }

    ArchRule rule() {
        List<String> all = new ArrayList<>(others);
        all.add(packageName());
        ours.forEach(each -> all.add(ROOT + each));
        return ArchRuleDefinition.classes()
                .that()
                .resideInAPackage(packageName())
                .should()
                .onlyDependOnClassesThat(
                        JavaClass.Predicates.resideInAnyPackage(all.toArray(String[]::new))
                                .or(JavaClass.Predicates.belongToAnyOf(CALLED_BACK)))
                .because(instead)
                .allowEmptyShould(true);
    }

    static List<String> packagesOf(JavaClasses classes) {
        return classes.stream().map(JavaClass::getPackageName).distinct().sorted().toList();
    }
}
