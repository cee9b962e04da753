package io.godwit.benchmarks.load;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * A client with one subscription that does nothing: client id of 20 bytes, a filter of 30 bytes of
 * its own.
 */
final class IdleClient extends Link {
    private static final int KEEP_ALIVE_SECONDS = 3600;

    IdleClient(LoadLoop loop, int number) {
        super(loop, clientId(number), List.of(filter(number)), 1);
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
