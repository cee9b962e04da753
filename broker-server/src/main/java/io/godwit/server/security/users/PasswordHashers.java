package io.godwit.server.security.users;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads that compute hashes, beside the shards, and the queue in front of them. Who waited
 * longer than a CONNECT waits for its answer is dropped. A thread gives its memory back when it was
 * idle for a minute.
 */
final class PasswordHashers implements AutoCloseable {
    static final int WAITING_MAX = 1_000;

    private static final Logger log = LoggerFactory.getLogger(PasswordHashers.class);
    private static final long IDLE_MS = 60_000;
    private static final long STOP_MS = 2_000;

    private final long patienceMs;
    private final LongSupplier nowMs;
    private final List<Thread> threads = new ArrayList<>();
    private final List<Argon2id> memories = new ArrayList<>();

    // Below: with the lock of `queue`.
    private final AddressQueue<Waiting> queue = new AddressQueue<>(WAITING_MAX);
    private boolean closed;

    /** Computes something; one of the methods is called, once, from any thread. */
    interface Job {
        void hash(Argon2id argon2);

        /** There was no place or no time. */
        void refuse();
    }

    private record Waiting(Job job, long sinceMs) {}

    /**
     * @param count threads; 0: a test calls {@link #runNext}
     * @param patienceMs after which nobody waits for an answer any more
     * @param nowMs monotonic
     */
    PasswordHashers(int count, long patienceMs, LongSupplier nowMs) {
        this.patienceMs = patienceMs;
        this.nowMs = nowMs;
        for (int i = 0; i < count; i++) {
            Argon2id argon2 = new Argon2id();
            memories.add(argon2);
            Thread thread = new Thread(() -> run(argon2), "password-hasher-" + i);
            thread.setDaemon(true);
            threads.add(thread);
        }
        threads.forEach(Thread::start);
    }

    /** Computes it when its address has its turn, or refuses it or another one. */
    void submit(String address, Job job) {
        Waiting refused;
        synchronized (queue) {
            Waiting waiting = new Waiting(job, nowMs.getAsLong());
            refused = closed ? waiting : queue.add(address, waiting);
            queue.notify();
        }
        if (refused != null) {
            refused.job.refuse();
        }
    }

    int waiting() {
        synchronized (queue) {
            return queue.size();
        }
    }

    /** Returns the bytes that hashing takes at this moment. */
    long memoryBytes() {
        return memories.stream().mapToLong(Argon2id::memoryBytes).sum();
    }

    /** Computes the next one on the calling thread; returns whether there was any. */
    boolean runNext(Argon2id argon2) {
        Waiting next;
        synchronized (queue) {
            next = queue.poll();
        }
        if (next != null) {
            run(next, argon2);
        }
        return next != null;
    }

    private void run(Argon2id argon2) {
        try {
            while (true) {
                Waiting next = await();
                if (next != null) {
                    run(next, argon2);
                } else if (isClosed()) {
                    return;
                } else {
                    argon2.release();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run(Waiting next, Argon2id argon2) {
        if (nowMs.getAsLong() - next.sinceMs >= patienceMs) {
            next.job.refuse();
            return;
        }
        try {
            next.job.hash(argon2);
        } catch (OutOfMemoryError e) {
            argon2.release();
            next.job.refuse();
        } catch (RuntimeException e) {
            log.error("A password could not be checked", e);
            next.job.refuse();
        }
    }

    /** Returns the next one, or null when there was none for a while. */
    private @Nullable Waiting await() throws InterruptedException {
        synchronized (queue) {
            Waiting next = queue.poll();
            if (next == null && !closed) {
                queue.wait(IDLE_MS);
                next = queue.poll();
            }
            return next;
        }
    }

    private boolean isClosed() {
        synchronized (queue) {
            return closed;
        }
    }

    /** Ends the threads, when they have computed what they are at; who waits is refused. */
    @Override
    public void close() {
        List<Waiting> left = new ArrayList<>();
        synchronized (queue) {
            closed = true;
            for (Waiting each = queue.poll(); each != null; each = queue.poll()) {
                left.add(each);
            }
            queue.notifyAll();
        }
        left.forEach(each -> each.job.refuse());
        try {
            for (Thread each : threads) {
                each.join(STOP_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
