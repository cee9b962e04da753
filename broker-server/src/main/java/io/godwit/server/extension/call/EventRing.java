package io.godwit.server.extension.call;

import io.godwit.core.packet.ClientId;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAdder;

/**
 * Tells an extension what has happened, one event after the other. So many events may wait; further
 * ones are dropped and counted, and so are those that happen while the extension is stopped to be
 * replaced. Any thread.
 */
final class EventRing {
    static final int EVENTS_MAX = 10_000;

    /** Stands for the answer that listeners do not give. */
    private static final CompletionStage<Boolean> TOLD = CompletableFuture.completedFuture(true);

    private final ExtensionCalls calls;
    private final Lane lane = new Lane();
    private final LongAdder dropped = new LongAdder();

    EventRing(ExtensionCalls calls) {
        this.calls = calls;
    }

    /** Something that has happened. */
    interface Event {
        void tell();
    }

    /**
     * Has something told.
     *
     * @param client it has happened to
     */
    void offer(CallKind kind, ClientId client, Event event) {
        if (lane.size() >= EVENTS_MAX || calls.paused() != null) {
            dropped.increment();
            return;
        }
        lane.add(new Telling(kind, client, event));
    }

    boolean isEmpty() {
        return lane.size() == 0;
    }

    long dropped() {
        return dropped.sum();
    }

    private final class Telling extends Lane.Turn {
        private final CallKind kind;
        private final ClientId client;
        private final Event event;

        Telling(CallKind kind, ClientId client, Event event) {
            this.kind = kind;
            this.client = client;
            this.event = event;
        }

        @Override
        void begin() {
            calls.submit(
                    new Call<Boolean, Boolean>(kind) {
                        @Override
                        CompletionStage<Boolean> ask() {
                            event.tell();
                            return TOLD;
                        }

                        @Override
                        String clientId() {
                            return client.toString();
                        }

                        @Override
                        Boolean convert(Boolean answer) {
                            return answer;
                        }

                        @Override
                        void onAnswer(Boolean answer) {
                            Telling.this.end();
                        }

                        @Override
                        void onFailure(CallFailure cause) {
                            Telling.this.end();
                        }
                    });
        }
    }
}
