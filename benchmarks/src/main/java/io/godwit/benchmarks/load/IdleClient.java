package io.godwit.benchmarks.load;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * A client that does nothing: client id of 20 bytes, and a subscription to a filter of 30 bytes of
 * its own unless it has none.
 */
final class IdleClient extends Link {
    private static final int KEEP_ALIVE_SECONDS = 3600;

    private final boolean durable;

    /** With a transient session and its subscription. */
    IdleClient(LoadLoop loop, int number) {
        this(loop, number, false, true);
    }

    /**
     * @param durable clean session 0
     * @param subscribes whether it has its subscription
     */
    IdleClient(LoadLoop loop, int number, boolean durable, boolean subscribes) {
        super(loop, clientId(number), subscribes ? List.of(filter(number)) : List.of(), 1);
        this.durable = durable;
    }

    @Override
    boolean cleanSession() {
        return !durable;
    }

    static String clientId(int number) {
        return "idle-client-%08d".formatted(number);
    }

    static String filter(int number) {
        return "site/west/%08d/temperature".formatted(number);
    }

    @Override
    int keepAliveSeconds() {
        return KEEP_ALIVE_SECONDS;
    }

    @Override
    void onPacket(int first, ByteBuffer in, int from, int to) {}
}
