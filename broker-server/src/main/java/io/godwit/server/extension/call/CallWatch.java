package io.godwit.server.extension.call;

import org.jspecify.annotations.Nullable;

/** Says what time it is for calls, and is told how they have ended. Any thread; must not block. */
public interface CallWatch {
    /** Has the machine's time, and takes no note. */
    CallWatch NONE =
            new CallWatch() {
                @Override
                public long nanoTime() {
                    return System.nanoTime();
                }

                @Override
                public void onEnd(
                        String extension,
                        CallKind kind,
                        String clientId,
                        @Nullable CallFailure failure,
                        long nanos) {}
            };

    /** Returns monotonic nanoseconds. */
    long nanoTime();

    /**
     * Is told that a call has ended, before what comes of it.
     *
     * @param clientId empty: it is about none, or not known
     * @param failure null: it was answered
     * @param nanos since it began; of one that did not begin, since it was to
     */
    void onEnd(
            String extension,
            CallKind kind,
            String clientId,
            @Nullable CallFailure failure,
            long nanos);
}
