package io.godwit.benchmarks.load;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.HdrHistogram.Histogram;

/**
 * A client that connects, leaves and connects again, on a thread of its own: how long each CONNACK
 * takes, from the begin of the TCP connection.
 */
final class DoorProbe implements Closeable {
    private static final long PAUSE_MS = 50;

    private final String name;
    private final InetSocketAddress address;
    private final Transport transport;
    private final String secret;
    private final FutureTask<Histogram> task = new FutureTask<>(this::measure);
    private volatile boolean stopped;
    private int failures;

    /**
     * @param name client id and user name
     * @param secret empty = none
     */
    DoorProbe(String name, InetSocketAddress address, Transport transport, String secret) {
        this.name = name;
        this.address = address;
        this.transport = transport;
        this.secret = secret;
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    String name() {
        return name;
    }

    /** Ends the measurement and returns the times, in nanoseconds. */
    Histogram times() throws IOException {
        stopped = true;
        try {
            return task.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } catch (ExecutionException e) {
            throw new IOException(name, e.getCause());
        }
    }

    /** Connections that were refused or closed; read it when the measurement has ended. */
    int failures() {
        return failures;
    }

    private Histogram measure() throws IOException {
        Histogram times = new Histogram(3);
        times.setAutoResize(true);
        LoadLoop loop = new LoadLoop(address, transport);
        try {
            while (!stopped) {
                long start = System.nanoTime();
                ReturningCrowd.Caller caller = new ReturningCrowd.Caller(loop, name, secret);
                try {
                    loop.connect(List.of(caller));
                    times.recordValue(System.nanoTime() - start);
                    caller.close();
                } catch (IOException e) {
                    failures++;
                    loop.close();
                    loop = new LoadLoop(address, transport);
                }
                Filling.pause(PAUSE_MS);
            }
            return times;
        } finally {
            loop.close();
        }
    }

    @Override
    public void close() throws IOException {
        times();
    }
}
