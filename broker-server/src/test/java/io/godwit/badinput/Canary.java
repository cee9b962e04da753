package io.godwit.badinput;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Another client that goes on while something bad happens: it connected before, and sends itself a
 * message at QoS 1 every few milliseconds.
 */
final class Canary implements AutoCloseable {
    private static final String TOPIC = "canary/song";
    private static final long PAUSE_MS = 10;

    private final RawClient client;
    private final Thread thread;
    private volatile boolean stopped;
    private volatile long songs;
    private volatile @Nullable Throwable died;

    Canary(int port) throws IOException {
        client = RawClient.connected(port, "canary");
        client.subscribe(TOPIC, 1);
        sing(1);
        thread = Thread.ofPlatform().name("canary").start(this::singOn);
    }

    /**
     * Ends it, and asserts that it went on all the time.
     *
     * @param songsLeast how often it must have sung meanwhile: a loop that serves others first, or
     *     waits for them, lets it sing once or twice
     */
    void assertUnharmed(int songsLeast) throws InterruptedException {
        stopped = true;
        thread.join();
        Throwable cause = died;
        if (cause != null) {
            throw new AssertionError("the canary died after " + songs + " songs", cause);
        }
        assertThat(songs).as("songs of the canary").isGreaterThanOrEqualTo(songsLeast);
    }

    @Override
    public void close() throws IOException {
        stopped = true;
        client.close();
    }

    private void singOn() {
        try {
            for (int i = 2; !stopped; i++) {
                sing(1 + i % 0xFFFF);
                songs++;
                Thread.sleep(PAUSE_MS);
            }
        } catch (IOException | InterruptedException | RuntimeException | AssertionError e) {
            died = stopped ? null : e;
        }
    }

    /** Publishes, and waits for both the acknowledgement and the message, in any order. */
    private void sing(int packetId) throws IOException {
        byte[] note = ByteBuffer.allocate(4).putInt(packetId).array();
        client.send(Bytes.publish(TOPIC, note, 1, packetId));
        boolean acknowledged = false;
        boolean heard = false;
        while (!acknowledged || !heard) {
            RawClient.Received received = client.read();
            if (received.type() == Bytes.PUBACK) {
                assertThat(received.int16(0)).isEqualTo(packetId);
                acknowledged = true;
            } else {
                assertThat(received.type()).isEqualTo(Bytes.PUBLISH);
                client.send(Bytes.puback(received.publishId()));
                heard = true;
            }
        }
    }
}
