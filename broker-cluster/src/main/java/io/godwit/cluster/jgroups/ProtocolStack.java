package io.godwit.cluster.jgroups;

import io.godwit.cluster.ClusterSettings;
import java.util.List;

/**
 * The protocols of JGroups that are used, from the bottom, as its own configuration has them.
 *
 * <p>Not used: FD_SOCK2 (it listens on a port of its own, which TLS of TCP does not cover), flow
 * control (links have credits in bytes), state transfer, multicast of messages. UNICAST4's window
 * counts messages of up to 64 KiB, so it is small. A closed connection makes TCP suspect the node
 * at once; FD_ALL3 finds those that say nothing any more. A frame leaves by {@link FrameBundler}
 * with its length in one write (a second one wakes the receiver twice), and threads are platform
 * threads: a virtual one that waits for a socket is woken by a third thread.
 */
final class ProtocolStack {
    private static final int SEND_WINDOW = 64;

    /**
     * A node that is not let in yet asks again after so long: what it sends is lost where the other
     * one gets another view at that moment, since JGroups closes its connections to nodes that are
     * not in a new view.
     */
    private static final long ASK_AGAIN_MS = 200;

    private ProtocolStack() {}

    /**
     * @param joinMs an answer of who is asked to let this node in, or an answer where nodes are, is
     *     waited for so long
     */
    static String xml(ClusterSettings settings, long joinMs) {
        long failure = settings.failureTimeoutMs();
        StringBuilder xml = new StringBuilder("<config xmlns=\"urn:org:jgroups\">\n");
        xml.append(
                element(
                        PatientTcp.class.getName(),
                        "bind_addr",
                        settings.bind().getAddress().getHostAddress(),
                        "bind_port",
                        settings.bind().getPort(),
                        "port_range",
                        0,
                        "sock_conn_timeout",
                        "500ms",
                        "linger",
                        -1,
                        "tcp_nodelay",
                        true,
                        "enable_suspect_events",
                        true,
                        "bundler_type",
                        FrameBundler.class.getName(),
                        "bundler.max_size",
                        "128K",
                        "bundler.capacity",
                        "1k",
                        "buffered_output_stream_size",
                        "128K",
                        "diag.enabled",
                        false,
                        "thread_pool.min_threads",
                        0,
                        "thread_pool.max_threads",
                        64,
                        "thread_pool.keep_alive_time",
                        "30s",
                        "use_virtual_threads",
                        false));
        xml.append(element(Founding.class.getName()));
        xml.append(discovery(settings, joinMs));
        xml.append(
                element(
                        "MERGE3",
                        "min_interval",
                        Math.max(250, settings.mergeIntervalMs() / 2),
                        "max_interval",
                        settings.mergeIntervalMs()));
        xml.append(element("FD_ALL3", "timeout", failure, "interval", Math.max(250, failure / 4)));
        xml.append(element("VERIFY_SUSPECT2", "timeout", Math.max(250, failure / 4)));
        xml.append(element("NAKACK4", "capacity", 1024, "preview_warning", false));
        xml.append(element("UNICAST4", "capacity", SEND_WINDOW, "preview_warning", false));
        xml.append(
                element(
                        "pbcast.GMS",
                        "print_local_addr",
                        false,
                        "join_timeout",
                        joinMs,
                        "leave_timeout",
                        1_000,
                        "merge_timeout",
                        3_000));
        xml.append(element("FRAG4", "frag_size", "100K"));
        return xml.append("</config>\n").toString();
    }

    private static String discovery(ClusterSettings settings, long joinMs) {
        List<String> seeds = settings.seeds();
        long asks = Math.max(1, joinMs / ASK_AGAIN_MS);
        return switch (settings.discovery()) {
            case STATIC ->
                    element(
                            "TCPPING",
                            "num_discovery_runs",
                            asks,
                            "async_discovery",
                            true,
                            "port_range",
                            0,
                            "initial_hosts",
                            String.join(",", seeds.stream().map(ProtocolStack::host).toList()));
            case DNS, KUBERNETES ->
                    element(
                            "dns.DNS_PING",
                            "num_discovery_runs",
                            asks,
                            "dns_query",
                            only(settings),
                            "dns_record_type",
                            only(settings).startsWith("_") ? "SRV" : "A");
            case MULTICAST ->
                    element(
                            "MPING",
                            "num_discovery_runs",
                            asks,
                            "bind_addr",
                            settings.bind().getAddress().getHostAddress(),
                            "ip_ttl",
                            2);
            case FILE -> element("FILE_PING", "location", only(settings));
        };
    }

    /** {@code host:port} as {@code host[port]}. */
    private static String host(String seed) {
        int colon = seed.lastIndexOf(':');
        if (colon <= 0 || !seed.substring(colon + 1).matches("[0-9]{1,5}")) {
            throw new IllegalArgumentException("cluster.seeds: '" + seed + "' is not host:port");
        }
        return seed.substring(0, colon) + "[" + seed.substring(colon + 1) + "]";
    }

    private static String only(ClusterSettings settings) {
        if (settings.seeds().size() != 1) {
            throw new IllegalArgumentException(
                    "cluster.seeds: cluster.discovery "
                            + settings.discovery()
                            + " takes exactly one, not "
                            + settings.seeds());
        }
        return settings.seeds().get(0);
    }

    private static String element(String name, Object... attributes) {
        StringBuilder xml = new StringBuilder("  <").append(name);
        for (int i = 0; i < attributes.length; i += 2) {
            xml.append(' ').append(attributes[i]).append("=\"");
            xml.append(quoted(attributes[i + 1].toString())).append('"');
        }
        return xml.append("/>\n").toString();
    }

    private static String quoted(String value) {
        if (value.contains("${")) {
            throw new IllegalArgumentException("'" + value + "': ${ stands for something here");
        }
        return value.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
    }
}
