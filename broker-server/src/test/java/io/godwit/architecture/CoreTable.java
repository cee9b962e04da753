package io.godwit.architecture;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The packages of broker-core, from packets up to the node. */
final class CoreTable {
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
            "packages of core point from sessions to packets: move the type to the package below,"
                    + " or let the package above pass in what is needed";

    private CoreTable() {}

    static List<Allowed> table() {
        List<Allowed> all = new ArrayList<>();
        all.add(core("packet"));
        all.add(core("id", "packet"));
        all.add(core("time"));
        all.add(core("auth", "packet", "settings"));
        all.add(core("codec", "packet"));
        all.add(core("review", "auth", "packet"));
        all.add(core("metrics", "packet"));
        all.add(core("settings"));
        all.add(
                new Allowed(
                        "core.failure",
                        List.of(),
                        List.of(
                                "java.io",
                                "java.lang..",
                                "java.nio..",
                                "java.util",
                                "java.util.regex",
                                "java.util.stream",
                                "org.jspecify.annotations"),
                        "words for exceptions only: it opens no file"));
        all.add(core("message", "id", "packet"));
        all.add(core("routing", "packet", "message", "metrics", "settings"));
        all.add(core("store", "id", "packet", "message", "metrics", "routing"));
        all.add(core("operation", "id", "packet", "message", "store"));
        all.add(rules());
        all.add(core("shard", "message", "metrics", "settings", "store", "time"));
        all.add(core("ack", "id", "message", "packet", "shard"));
        all.add(core("load", "settings", "shard", "store", "time"));
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
                        "codec",
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
                        "review",
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
                        "review",
                        "routing",
                        "settings",
                        "shard",
                        "store",
                        "time"));
        all.add(
                core(
                        "session",
                        "ack",
                        "auth",
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
                        "review",
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
                        "load",
                        "mail",
                        "message",
                        "metrics",
                        "packet",
                        "session",
                        "settings",
                        "shard",
                        "store",
                        "time"));
        all.add(
                core(
                        "connection",
                        "ack",
                        "auth",
                        "auth.rules",
                        "codec",
                        "index",
                        "load",
                        "mail",
                        "message",
                        "metrics",
                        "operation",
                        "packet",
                        "publish",
                        "queue",
                        "review",
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
                        "review",
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
        return all;
    }

    /** Rules are data that extensions make, too. */
    private static Allowed rules() {
        Allowed room = core("auth.rules", "auth", "operation", "packet", "settings");
        return new Allowed(
                room.owner(),
                Stream.concat(room.ours().stream(), Stream.of("extension.access")).toList(),
                room.others(),
                room.instead());
    }

    private static Allowed core(String name, String... below) {
        return new Allowed(
                "core." + name,
                Stream.of(below).map(each -> "core." + each).toList(),
                Stream.concat(PLAIN_JAVA.stream(), CORE_LIBRARIES.stream()).toList(),
                CORE + "; " + CORE_ORDER);
    }
}
