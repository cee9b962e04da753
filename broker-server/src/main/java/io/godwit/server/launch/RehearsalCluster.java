package io.godwit.server.launch;

import io.godwit.server.Server;
import io.godwit.server.config.ConfigLoader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Two nodes in the process of {@link Rehearsal}, so that the classes of a cluster are known, too.
 */
final class RehearsalCluster implements AutoCloseable {
    private final List<Server> nodes = new ArrayList<>();

    /** Returns when the second one knows what the first one has. */
    RehearsalCluster(Path file, Path data) throws Exception {
        List<Integer> ports = freePorts();
        String seeds = "cluster.seeds=127.0.0.1:" + ports.get(0) + ",127.0.0.1:" + ports.get(1);
        for (int port : ports) {
            List<String> sets = new ArrayList<>(Rehearsal.SETS);
            sets.add("node.data=" + data.resolve("node-" + port));
            sets.add("node.name=rehearsal-" + port);
            sets.add("cluster.enabled=true");
            sets.add("cluster.drain=false");
            sets.add("cluster.bind=127.0.0.1:" + port);
            sets.add(seeds);
            nodes.add(Server.start(ConfigLoader.load(file, Map.of(), sets)));
        }
    }

    private static List<Integer> freePorts() throws IOException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (ServerSocket one = new ServerSocket(0, 1, loopback);
                ServerSocket other = new ServerSocket(0, 1, loopback)) {
            return List.of(one.getLocalPort(), other.getLocalPort());
        }
    }

    Server first() {
        return nodes.get(0);
    }

    Server second() {
        return nodes.get(1);
    }

    @Override
    public void close() {
        nodes.forEach(Server::close);
    }
}
