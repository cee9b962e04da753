package io.godwit.benchmarks.load;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;

/** Connections of clients that do nothing, all at one node. */
public final class IdleCrowd implements Closeable {
    private final LoadLoop loop;
    private final boolean durable;
    private final boolean subscribes;

    /**
     * @param durable clean session 0
     * @param subscribes whether each has a subscription
     */
    public IdleCrowd(InetSocketAddress node, boolean durable, boolean subscribes)
            throws IOException {
        loop = new LoadLoop(node);
        this.durable = durable;
        this.subscribes = subscribes;
    }

    /** Returns the client id of a number. */
    public static String clientId(int number) {
        return IdleClient.clientId(number);
    }

    /** Connects more clients; returns when all of them are served. */
    public void connect(List<Integer> numbers) throws IOException {
        loop.connect(
                numbers.stream()
                        .map(number -> new IdleClient(loop, number, durable, subscribes))
                        .toList());
    }

    @Override
    public void close() throws IOException {
        loop.close();
    }
}
