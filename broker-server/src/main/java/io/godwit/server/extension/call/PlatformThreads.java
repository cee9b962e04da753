package io.godwit.server.extension.call;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Some threads, which sleep while no call waits. */
final class PlatformThreads implements CallThreads {
    /** After so many calls that followed each other directly, those that wait have their turn. */
    private static final int IN_A_ROW_MAX = 64;

    private final ExtensionCalls calls;
    private final String id;
    private final int count;
    private volatile List<CallThread> threads = List.of();
    private int started;
    private volatile boolean isClosed;

    PlatformThreads(ExtensionCalls calls, String id, int count) {
        this.calls = calls;
        this.id = id;
        this.count = count;
    }

    void start() {
        for (int i = 0; i < count; i++) {
            add();
        }
    }

    private synchronized void add() {
        if (isClosed) {
            return;
        }
        CallThread added = new CallThread("extension-" + id + "-" + ++started);
        List<CallThread> more = new ArrayList<>(threads);
        more.add(added);
        threads = List.copyOf(more);
        calls.measure(added);
        added.start();
    }

    private synchronized void remove(CallThread gone) {
        List<CallThread> fewer = new ArrayList<>(threads);
        fewer.remove(gone);
        threads = List.copyOf(fewer);
    }

    @Override
    public @Nullable Runner own() {
        return Thread.currentThread() instanceof CallThread thread && thread.pool() == this
                ? thread.runner
                : null;
    }

    @Override
    public void wake() {
        for (CallThread each : threads) {
            if (each.wake()) {
                return;
            }
        }
    }

    @Override
    public boolean replace(int stuck) {
        if (stuck > count) {
            return false;
        }
        add();
        return true;
    }

    @Override
    public boolean areAllStuck(int stuck) {
        return stuck >= count;
    }

    @Override
    public void close() {
        isClosed = true;
        for (CallThread each : threads) {
            LockSupport.unpark(each);
        }
    }

    private final class CallThread extends Thread {
        private final Runner runner = new Runner(calls);
        private final AtomicBoolean isIdle = new AtomicBoolean();
        private int inRow;

        CallThread(String name) {
            super(null, null, name, 0, false);
            setDaemon(true);
            setContextClassLoader(calls.loader());
        }

        PlatformThreads pool() {
            return PlatformThreads.this;
        }

        boolean wake() {
            if (isIdle.get() && isIdle.compareAndSet(true, false)) {
                LockSupport.unpark(this);
                return true;
            }
            return false;
        }

        @Override
        public void run() {
            calls.onStart(runner);
            try {
                boolean goesOn = true;
                while (goesOn) {
                    Call<?, ?> call = take();
                    goesOn = call == null ? !isClosed : runner.run(call);
                }
            } finally {
                remove(this);
                calls.onEnd(runner);
            }
        }

        /** Returns the next call; null: the threads are to end, or look again. */
        private @Nullable Call<?, ?> take() {
            Call<?, ?> call = runner.takeNext();
            if (call != null) {
                if (++inRow < IN_A_ROW_MAX) {
                    return call;
                }
                calls.waitAgain(call);
            }
            inRow = 0;
            call = calls.poll();
            if (call != null) {
                return call;
            }
            isIdle.set(true);
            call = calls.poll();
            if (call == null && !isClosed) {
                LockSupport.park(this);
            }
            if (!isIdle.compareAndSet(true, false) && call != null) {
                PlatformThreads.this.wake(); // Another call was to wake this thread, which is busy.
            }
            return call;
        }
    }
}
