package io.godwit.benchmarks.load.relay;

import java.net.InetSocketAddress;
import java.util.List;

/**
 * Runs one process of a relay on loopback until it is stopped.
 *
 * <pre>
 * plain LISTEN BROKER                                     forwards bytes of sockets to sockets: the control
 * edge  LISTEN CLUSTER OTHER_CLUSTER GIVE_BACK TRANSPORT  accepts sockets, forwards their bytes to the other node
 * end   BROKER CLUSTER OTHER_CLUSTER GIVE_BACK TRANSPORT  opens a socket to the broker for each of those
 * </pre>
 *
 * The first three are ports. GIVE_BACK is the number of bytes that a socket has taken before the
 * sender is told; 1: at the end of each turn. TRANSPORT is links, or sockets: one from each loop to
 * each loop of the other node.
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
                List<RelayLoop> loops = loops(EDGE, END, sockets, FlowControl.EDGE, args);
                if (isOverSockets(args)) SocketPeer.connect(loopback(args[3]), loops);
                sockets.listen(address, channel -> RelayLoop.of(channel, loops).accept(channel));
            }
            case "end" -> {
                List<RelayLoop> loops = loops(END, EDGE, sockets, FlowControl.END, args);
                loops.forEach(each -> each.openSocketsTo(address));
                if (isOverSockets(args)) SocketPeer.listen(sockets, loopback(args[2]), loops);
            }
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    private static boolean isOverSockets(String... args) {
        return args[5].equals("sockets");
    }

    private static List<RelayLoop> loops(
            int self, int peer, Sockets sockets, FlowControl flow, String... args)
            throws Exception {
        int giveBack = Integer.parseInt(args[4]);
        if (isOverSockets(args)) return SocketPeer.loops(sockets.loops(), flow, giveBack);
        RelayNode node = new RelayNode(self, peer, loopback(args[2]), loopback(args[3]));
        return node.start(sockets.loops(), flow, giveBack);
    }

    private static InetSocketAddress loopback(String port) {
        return new InetSocketAddress("127.0.0.1", Integer.parseInt(port));
    }
}
