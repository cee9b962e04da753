package io.godwit.server.extension.call;

import org.jspecify.annotations.Nullable;

/** A virtual thread for each call. Those that are stuck need no other in their place. */
final class VirtualThreads implements CallThreads {
    private final ExtensionCalls calls;
    private final Thread.Builder threads;

    VirtualThreads(ExtensionCalls calls, String id) {
        this.calls = calls;
        this.threads =
                Thread.ofVirtual().name("extension-" + id).inheritInheritableThreadLocals(false);
    }

    @Override
    public @Nullable Runner own() {
        return null; // Each thread runs one call.
    }

    @Override
    public void wake() {
        threads.start(this::runOne);
    }

    private void runOne() {
        Call<?, ?> call = calls.poll();
        if (call == null) {
            return;
        }
        Runner runner = new Runner(calls);
        calls.onStart(runner);
        try {
            runner.run(call);
        } finally {
            calls.onEnd(runner);
        }
    }

    @Override
    public boolean replace(int stuck) {
        return true;
    }

    @Override
    public boolean areAllStuck(int stuck) {
        return false;
    }

    @Override
    public void close() {}
}
