package io.godwit.benchmarks.load.relay;

import java.net.InetSocketAddress;

/**
 * Runs one process of a relay on loopback until it is stopped.
 *
 * <pre>
 * plain LISTEN BROKER                          forwards bytes of sockets to sockets: the control
 * edge  LISTEN CLUSTER OTHER_CLUSTER GIVE_BACK accepts sockets, forwards their bytes over a link
 * end   BROKER CLUSTER OTHER_CLUSTER GIVE_BACK opens a socket to the broker for each of those
 * </pre>
 *
 * The first three are ports. GIVE_BACK is the number of bytes that a socket has taken before the
 * sender is told; 1: at the end of each turn.
 */
public final class RelayMain {
    private static final int EDGE = 1;
    private static final int END = 2;

    private RelayMain() {}

    public static void main(String... args) throws Exception {
        Sockets sockets = new Sockets();
        InetSocketAddress address = loopback(args[1]);
        switch (args[0]) {
            case "plain" -> PlainRelay.start(sockets, address, loopback(args[2]));
            case "edge" -> {
                RelayNode node = node(EDGE, END, sockets, FlowControl.EDGE, args);
                sockets.listen(address, channel -> node.loop(channel.eventLoop()).accept(channel));
            }
            case "end" -> {
                RelayNode node = node(END, EDGE, sockets, FlowControl.END, args);
                node.openSocketsTo(address);
            }
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    private static RelayNode node(
            int self, int peer, Sockets sockets, FlowControl flow, String... args)
            throws Exception {
        RelayNode node = new RelayNode(self, peer, loopback(args[2]), loopback(args[3]));
        node.start(sockets.loops(), flow, Integer.parseInt(args[4]));
        return node;
    }

    private static InetSocketAddress loopback(String port) {
        return new InetSocketAddress("127.0.0.1", Integer.parseInt(port));
    }
}
