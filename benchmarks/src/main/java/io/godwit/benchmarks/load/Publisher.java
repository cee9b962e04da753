package io.godwit.benchmarks.load;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Sends messages of one size in blocks that were encoded once: per message only sequence number,
 * packet id and (with several topics) the topic are written anew. A block is one write of at most
 * {@link Shape#writeBytes}.
 *
 * <p>Unpaced, it sends as long as the loop's budget lasts, the window has room and the socket takes
 * it; the first message of a block carries the time. Paced, each message has a due time, which it
 * carries however late it leaves: so a stall of the broker shows in every message behind it.
 */
final class Publisher extends Link {
    /**
     * What a publisher sends.
     *
     * @param window unacknowledged messages of QoS 1
     * @param payloadBytes at least 16
     */
    record Shape(List<byte[]> topics, int qos, int window, int payloadBytes, int writeBytes) {
        Shape {
            if (payloadBytes < 16)
                throw new IllegalArgumentException("payloadBytes " + payloadBytes);
            if (topics.stream().anyMatch(t -> t.length != topics.get(0).length)) {
                throw new IllegalArgumentException("topics of one publisher have one length");
            }
        }

        int messageBytes() {
            return Frames.publishBytes(topics.get(0).length, qos, payloadBytes);
        }
    }

    /**
     * Room for a few writes, so that a publisher is never far ahead of what the broker has read.
     */
    private static final int SEND_BUFFER_BYTES = 64 * 1024;

    private final Shape shape;
    private final boolean durable;
    private final ByteBuffer block;
    private final int messageBytes;
    private final int messagesPerBlock;
    private @Nullable Pace pace;
    private long pacedSent;
    private long sequence;
    private int inFlight;

    Publisher(LoadLoop loop, String clientId, Shape shape) {
        this(loop, clientId, shape, false);
    }

    /**
     * @param durable clean session 0
     */
    Publisher(LoadLoop loop, String clientId, Shape shape, boolean durable) {
        super(loop, clientId, List.of(), 0);
        this.shape = shape;
        this.durable = durable;
        messageBytes = shape.messageBytes();
        messagesPerBlock = Math.max(1, shape.writeBytes() / messageBytes);
        block = ByteBuffer.allocateDirect(messageBytes * messagesPerBlock);
        while (block.hasRemaining())
            Frames.publish(block, shape.topics().get(0), shape.qos(), shape.payloadBytes());
    }

    @Override
    boolean cleanSession() {
        return !durable;
    }

    /** Payloads that no compression makes smaller; before the first is sent. */
    void noise() {
        int payload = messageBytes - shape.payloadBytes();
        byte[] noise = new byte[shape.payloadBytes()];
        Random random = new Random(1);
        for (int i = 0; i < messagesPerBlock; i++, payload += messageBytes) {
            random.nextBytes(noise);
            block.put(payload, noise);
        }
    }

    /** Messages begun so far; all of them are written when {@link #idle}. */
    long sent() {
        return sequence;
    }

    boolean idle() {
        return !block.hasRemaining() && inFlight == 0;
    }

    void startPace(Pace newPace) {
        pace = newPace;
        pacedSent = 0;
    }

    void stopPace() {
        pace = null;
    }

    /** Writes what may be written now. */
    void pump() throws IOException {
        onWritable();
    }

    @Override
    void tune(SocketChannel opened) throws IOException {
        opened.setOption(StandardSocketOptions.SO_SNDBUF, SEND_BUFFER_BYTES);
    }

    @Override
    void onWritable() throws IOException {
        if (!block.hasRemaining()) {
            int messages = available();
            if (messages > 0) fill(messages);
        }
        if (block.hasRemaining()) send(block);
        wantWrite(block.hasRemaining() || available() > 0);
    }

    @Override
    void onPacket(int first, ByteBuffer in, int from, int to) {
        if ((first & 0xF0) == Frames.PUBACK) inFlight--;
    }

    @Override
    void onReadComplete() throws IOException {
        if (shape.qos() > 0) onWritable();
    }

    private int available() {
        long messages = pace == null ? loop.budget() : pace.dueAt(System.nanoTime()) - pacedSent;
        if (shape.qos() > 0) messages = Math.min(messages, shape.window() - inFlight);
        return (int) Math.min(messages, messagesPerBlock);
    }

    private void fill(int messages) {
        block.clear();
        Pace paced = pace;
        long now = paced == null ? System.nanoTime() : 0;
        int payload = messageBytes - shape.payloadBytes();
        for (int i = 0; i < messages; i++, payload += messageBytes) {
            if (shape.qos() > 0) block.putShort(payload - 2, (short) (sequence % 0xFFFF + 1));
            if (shape.topics().size() > 1) putTopic(payload);
            block.putLong(payload, paced != null ? paced.dueNanos(pacedSent++) : i == 0 ? now : 0);
            block.putLong(payload + 8, sequence++);
        }
        if (paced == null) loop.spend(messages);
        if (shape.qos() > 0) inFlight += messages;
        block.limit(messages * messageBytes);
    }

    private void putTopic(int payload) {
        byte[] topic = shape.topics().get((int) (sequence % shape.topics().size()));
        block.put(payload - (shape.qos() > 0 ? 2 : 0) - topic.length, topic);
    }
}
