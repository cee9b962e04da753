package io.godwit.benchmarks.load;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** A client that subscribes to ever new filters, on which nobody publishes. */
final class Bystander extends Link {
    private final String clientId;
    private int asked;
    private int granted;

    Bystander(LoadLoop loop, String clientId) {
        super(loop, clientId, List.of(), 0);
        this.clientId = clientId;
    }

    /** Sends the next SUBSCRIBE. */
    void subscribe() throws IOException {
        asked++;
        int packetId = asked % 0xFFFE + 2;
        write(Frames.subscribe(packetId, List.of("others/" + clientId + "/" + asked), 0));
    }

    boolean answered() {
        return asked == granted;
    }

    @Override
    void onSubscribed() {
        granted++;
    }

    @Override
    void onPacket(int first, ByteBuffer in, int from, int to) {}
}
