package io.godwit.benchmarks.load.cluster;

import io.godwit.benchmarks.load.AdminPort;
import io.godwit.benchmarks.load.Enrolment;
import io.godwit.core.packet.ClientId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Knows which node leads the slot of a client id. It asks the nodes once: for each slot a client
 * with a durable session comes and goes, and the node that then has the session leads the slot.
 */
final class Leaders {
    private static final String PREFIX = "slot-probe-";
    private static final int PAGE_CLIENTS = 1_000;
    private static final Pattern PROBE =
            Pattern.compile("\"clientId\" ?: ?\"(" + PREFIX + "\\d+)\"");

    /** Nodes from 1. */
    private final int[] nodes = new int[ClientId.SLOTS];

    /** Asks a cluster that is ready, and leaves no sessions behind. */
    static Leaders of(Nodes cluster) throws IOException {
        Leaders leaders = new Leaders();
        List<String> probes = probes();
        Enrolment.visit(cluster.address(1), probes, true);
        int found = 0;
        for (int node = 1; node <= cluster.count(); node++) found += leaders.ask(cluster, node);
        if (found != ClientId.SLOTS) throw new IOException(found + " slots have a leader");
        Enrolment.visit(cluster.address(1), probes, false);
        System.err.printf(Locale.ROOT, "the leaders of %d slots are known%n", found);
        return leaders;
    }

    /** Makes one client id for each slot. */
    private static List<String> probes() {
        boolean[] taken = new boolean[ClientId.SLOTS];
        List<String> probes = new ArrayList<>();
        for (int number = 0; probes.size() < ClientId.SLOTS; number++) {
            String id = PREFIX + number;
            int slot = ClientId.of(id).slot();
            if (!taken[slot]) probes.add(id);
            taken[slot] = true;
        }
        return probes;
    }

    /** Returns how many probes have their session at a node. */
    private int ask(Nodes cluster, int node) throws IOException {
        int found = 0;
        for (int page = 0; ; page++) {
            String path = "/clients?page=" + page + "&size=" + PAGE_CLIENTS;
            String text = AdminPort.get(cluster.node(node).adminPort(), path);
            if (!text.contains("\"clientId\"")) return found;
            Matcher probe = PROBE.matcher(text);
            for (; probe.find(); found++) {
                nodes[ClientId.of(probe.group(1)).slot()] = node;
            }
        }
    }

    /** Returns the node, from 1, that leads the slot of a client id. */
    int of(String clientId) {
        return nodes[ClientId.of(clientId).slot()];
    }

    /**
     * Makes a client id whose slot a node leads.
     *
     * @param prefix of the client id
     */
    String ledBy(int node, String prefix) {
        int number = 0;
        while (of(prefix + number) != node) number++;
        return prefix + number;
    }
}
