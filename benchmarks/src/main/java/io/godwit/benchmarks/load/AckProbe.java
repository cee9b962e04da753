package io.godwit.benchmarks.load;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.HdrHistogram.Histogram;

/**
 * A publisher that sends one QoS 1 message after the other to a durable session whose client is
 * away, on a thread of its own: how long each PUBACK takes, which waits for the disk.
 */
public final class AckProbe implements Closeable {
    private static final int PAUSE_MS = 5;

    /** A PUBACK that takes longer ends the run. */
    private static final int LIMIT_MS = 300_000;

    private final Socket socket;
    private final DataInputStream in;
    private final byte[] topic;
    private final FutureTask<Void> task = new FutureTask<>(this::run, null);
    private Histogram taken = new Histogram(3);
    private volatile boolean stopped;

    /**
     * @param offline number of the session, as {@link Enrolment} counts
     */
    public AckProbe(BrokerProcess broker, int offline) throws IOException {
        topic = Enrolment.topic(offline).getBytes(UTF_8);
        socket = new Socket();
        socket.connect(broker.address(), LIMIT_MS);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(LIMIT_MS);
        in = new DataInputStream(socket.getInputStream());
        send(Frames.connect("probe", 0, true));
        answer(Frames.CONNACK);
        Thread thread = new Thread(task, "ack-probe");
        thread.setDaemon(true);
        thread.start();
    }

    /** What PUBACKs took since this was asked last, in microseconds. */
    public synchronized Histogram take() throws IOException {
        if (task.isDone()) {
            close();
        }
        Histogram since = taken;
        taken = new Histogram(3);
        return since;
    }

    private void run() {
        try {
            while (!stopped) {
                ByteBuffer publish = ByteBuffer.allocate(Frames.publishBytes(topic.length, 1, 100));
                Frames.publish(publish, topic, 1, 100);
                publish.flip();
                publish.putShort(publish.limit() - 102, (short) 1);
                long sent = System.nanoTime();
                send(publish);
                answer(Frames.PUBACK);
                long micros = (System.nanoTime() - sent) / 1_000;
                synchronized (this) {
                    taken.recordValue(micros);
                }
                Filling.pause(PAUSE_MS);
            }
        } catch (IOException e) {
            throw new IllegalStateException("no PUBACK", e);
        }
    }

    private void send(ByteBuffer packet) throws IOException {
        byte[] bytes = new byte[packet.remaining()];
        packet.get(bytes);
        socket.getOutputStream().write(bytes);
    }

    /** All answers that come here are of four bytes. */
    private void answer(int type) throws IOException {
        int first = in.readUnsignedByte();
        in.readFully(new byte[3]);
        if ((first & 0xF0) != type) throw new IOException("packet " + first + " for " + type);
    }

    @Override
    public void close() throws IOException {
        stopped = true;
        try {
            task.get(LIMIT_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException(e);
        } finally {
            socket.close();
        }
    }
}
