package io.godwit.server.command;

import io.godwit.server.client.CheckingLoad;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What the demo of a cluster consists of: three nodes and, where it is installed, HAProxy.
 *
 * @param port 1..65000, HAProxy's; the nodes' MQTT is at port + 1 to port + 3, their admin ports
 *     are at port + 11 to port + 13, and their ports for each other at port + 21 to port + 23
 * @param folder for configurations, data and logs
 */
record DemoPlan(int port, Path folder) {
    static final int NODES = 3;
    static final int PORT_MAX = 65_000;

    static final String HOST = "127.0.0.1";

    /** n1 to n3. */
    static String name(int node) {
        return "n" + node;
    }

    String mqtt(int node) {
        return HOST + ":" + mqttPort(node);
    }

    int mqttPort(int node) {
        return port + node;
    }

    String admin(int node) {
        return HOST + ":" + adminPort(node);
    }

    int adminPort(int node) {
        return port + 10 + node;
    }

    String peer(int node) {
        return HOST + ":" + (port + 20 + node);
    }

    String balancer() {
        return HOST + ":" + port;
    }

    /** Where the clients of the checking load connect. */
    List<CheckingLoad.Node> loadNodes() {
        return nodes().stream()
                .map(each -> new CheckingLoad.Node(name(each), HOST, mqttPort(each)))
                .toList();
    }

    Path config(int node) {
        return folder.resolve(name(node) + ".yaml");
    }

    Path log(String process) {
        return folder.resolve(process + ".log");
    }

    private static List<Integer> nodes() {
        return IntStream.rangeClosed(1, NODES).boxed().toList();
    }

    /** A node's whole configuration. */
    String configText(int node) {
        String seeds = nodes().stream().map(this::peer).collect(Collectors.joining(", "));
        String data = folder.resolve(name(node)).toString().replace("'", "''");
        return """
        node:
          name: %s
          data: '%s'
          memory: 384MiB
        listeners:
          mqtt:
            bind: %s
        security:
          anonymous: loopback
        admin:
          bind: %s
        stop:
          timeout: 5s
        durability:
          disk-free: 64MiB
          window-bytes: 16MiB
        cluster:
          enabled: true
          name: demo
          discovery: static
          bind: %s
          seeds: [%s]
          drain-wait: 0
        """
                .formatted(name(node), data, mqtt(node), admin(node), peer(node), seeds);
    }

    /** HAProxy's: clients go to nodes that say that they are ready. */
    String balancerText() {
        String servers =
                nodes().stream()
                        .map(each ->
                                "  server %s %s check port %d inter 500ms\n"
                                        .formatted(name(each), mqtt(each), adminPort(each)))
                        .collect(Collectors.joining());
        return """
        defaults
          mode tcp
          timeout connect 2s
          timeout client 1h
          timeout server 1h
        listen mqtt
          bind %s
          balance leastconn
          option httpchk GET /health/ready
        %s\
        """
                .formatted(balancer(), servers);
    }

    /**
     * What to try.
     *
     * @param pids the nodes' process ids
     */
    String explain(String launcher, List<Long> pids, boolean isBalanced) {
        String nodes =
                nodes().stream()
                        .map(each ->
                                "%s: MQTT at %s, admin port %s, process %d\n"
                                        .formatted(
                                                name(each),
                                                mqtt(each),
                                                admin(each),
                                                pids.get(each - 1)))
                        .collect(Collectors.joining());
        String balance =
                isBalanced
                        ? "HAProxy spreads the clients of " + balancer() + " over them."
                        : "HAProxy is not installed; with it, one port would serve all three.";
        return """

        %s%s

        A small load checks the cluster: each node has a publisher for each node's durable subscriber.

        Try, each in a terminal of its own, with these or other MQTT clients:
            mosquitto_sub -p %d -t 'demo/#' -v
            mosquitto_pub -p %d -t demo/hello -m 'from another node'
            %s cluster status --admin %s
            kill -9 %d    # kills n3; its clients go on at the other nodes, with their sessions
        docs/cluster.md says what the nodes share. Ctrl-C ends everything.\
        """
                .formatted(
                        nodes,
                        balance,
                        port + 1,
                        port + NODES,
                        launcher,
                        admin(1),
                        pids.get(NODES - 1));
    }

    /**
     * Says what it means that a node has ended, and how to start it again.
     *
     * @param end how it has ended
     */
    String explainEnd(int node, String launcher, String end) {
        return """
        %s %s. The other nodes take its sessions over within seconds, and its clients connect there.
        Who publishes to these sessions with QoS 1 or 2 waits until then. All others go on.
        To start it again, in another terminal:
            %s run --config %s\
        """
                .formatted(name(node), end, launcher, config(node));
    }
}
