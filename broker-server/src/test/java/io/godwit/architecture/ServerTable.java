package io.godwit.architecture;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The packages of broker-server. */
final class ServerTable {
    private ServerTable() {}

    static List<Allowed> table() {
        List<Allowed> all = new ArrayList<>();
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
        all.add(server("server.reload"));
        all.add(server("server.tls", "server.config", "server.reload", "server"));
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
                        "server.reload",
                        "server.tls"));
        all.add(
                server(
                        "server.admin",
                        "core..",
                        "server",
                        "server.config",
                        "server.extension",
                        "server.http",
                        "server.listener",
                        "server.loop",
                        "server.reload",
                        "server.service",
                        "extension.service"));
        all.add(
                server(
                        "server.cluster",
                        "core..",
                        "cluster..",
                        "server",
                        "server.admin",
                        "server.config",
                        "server.data",
                        "server.service",
                        "extension.service"));
        all.add(server("server.service", "core..", "extension.."));
        all.add(
                server(
                        "server.security.users",
                        "core.auth",
                        "core.failure",
                        "core.packet",
                        "server.config",
                        "server.reload"));
        all.add(
                server(
                        "server.extension",
                        "extension..",
                        "core.codec",
                        "core.packet",
                        "server",
                        "server.config",
                        "server.reload"));
        all.add(
                server(
                        "server.extension.command",
                        "server",
                        "server.command",
                        "server.config",
                        "server.extension"));
        all.add(server("server.client", "core.codec", "core.packet", "server"));
        all.add(
                server(
                        "server.command",
                        "cluster.tls",
                        "server",
                        "server.client",
                        "server.config",
                        "server.launch",
                        "server.security.users"));
        all.add(rules());
        all.add(
                server(
                        "server.store",
                        "core..",
                        "persistence..",
                        "server",
                        "server.command",
                        "server.config",
                        "server.data"));
        all.add(
                server(
                        "server.extension.call",
                        "extension..",
                        "core.auth",
                        "core.auth.rules",
                        "core.codec",
                        "core.operation",
                        "core.packet",
                        "core.review",
                        "core.settings",
                        "server.extension",
                        "server.logging"));
        all.add(
                server(
                        "server",
                        "core..",
                        "persistence..",
                        "cluster..",
                        "extension..",
                        "testkit..",
                        "server.."));
        return all;
    }

    /** The file of rules may be larger than snakeyaml expects, which only its own options say. */
    private static Allowed rules() {
        Allowed usual =
                server(
                        "server.rules",
                        "core.auth",
                        "core.auth.rules",
                        "core.codec",
                        "core.packet",
                        "extension.access",
                        "server",
                        "server.command",
                        "server.config",
                        "server.reload");
        return new Allowed(
                usual.owner(),
                usual.ours(),
                Stream.concat(usual.others().stream(), Stream.of("org.yaml.snakeyaml")).toList(),
                usual.instead());
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
}
