package io.godwit.server.extension.call;

import io.godwit.core.auth.ConnectionSetup;
import io.godwit.core.auth.Subject;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.review.ConnectionSetups;
import io.godwit.extension.client.Client;
import io.godwit.extension.setup.ClientInitializer;
import io.godwit.extension.setup.ClientSetup;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Knows the connections for which extensions may set up something, and has initializers asked about
 * them: about a client that connects before it goes on; about those that are connected when the
 * extensions have changed, some at a time. One for the node. Any thread.
 */
public final class SetUpClients implements ConnectionSetups {
    /** Connected clients about which initializers are asked at once. */
    static final int CHANGING_MAX = 64;

    /** Bytes of a client that an initializer is asked about. */
    private static final long CLIENT_BYTES = 500;

    private static final long LOOK_MS = 20;

    private final ConcurrentMap<Key, SetUpClient> clients = new ConcurrentHashMap<>();
    private volatile SetUpExtensions extensions = SetUpExtensions.NONE;

    /** Clients that may have to change, since the extensions have. */
    private final Queue<SetUpClient> toChange = new ConcurrentLinkedQueue<>();

    /** Those of them that wait or are changing. */
    private final AtomicInteger left = new AtomicInteger();

    private final AtomicInteger changing = new AtomicInteger();
    private final AtomicInteger wantsToPump = new AtomicInteger();
    private final LongAdder attributeBytes = new LongAdder();

    /** A connection: at one time no two have the same client id and address. */
    private record Key(String clientId, String address) {
        static Key of(Subject client) {
            return new Key(client.clientId().toString(), client.peer().remoteAddress());
        }
    }

    // ---------------------------------------------------------------- which extensions run

    /**
     * Has those asked that run now: about whoever connects from now on, and then about whoever is
     * connected.
     *
     * @return whether it has to be known who is connected
     */
    public boolean running(List<ExtensionHooks.Running> running) {
        extensions =
                new SetUpExtensions(
                        ExtensionHooks.byPriority(running).stream()
                                .map(each ->
                                        new SetUpExtensions.Extension(
                                                each.calls(), each.registered().initializer()))
                                .toList());
        clients.values().forEach(this::mayHaveToChange);
        pump();
        return running.stream().anyMatch(each -> each.registered().knowsClients());
    }

    /**
     * Waits until all connected clients have changed over to the extensions that run now.
     *
     * @return milliseconds that are left
     */
    long awaitChanges(long timeoutMs) throws InterruptedException {
        long leftMs = timeoutMs;
        while (left.get() > 0 && leftMs > 0) {
            TimeUnit.MILLISECONDS.sleep(LOOK_MS);
            leftMs -= LOOK_MS;
        }
        return Math.max(0, leftMs);
    }

    // ---------------------------------------------------------------- which clients are connected

    @Override
    public ConnectionSetup connecting(
            Subject client,
            ProtocolVersion version,
            Connection connection,
            Consumer<@Nullable ReasonCode> answer) {
        SetUpClient added = add(client, version, connection);
        new Connecting(added, answer).goOn(); // By those that run now: it may be looked at already.
        return added;
    }

    @Override
    public ConnectionSetup connected(
            Subject client, ProtocolVersion version, Connection connection) {
        SetUpClient added = add(client, version, connection);
        mayHaveToChange(added);
        pump();
        return added;
    }

    private SetUpClient add(Subject client, ProtocolVersion version, Connection connection) {
        SetUpClient added = new SetUpClient(this, client, version, connection);
        clients.put(Key.of(client), added);
        return added;
    }

    void remove(SetUpClient ended) {
        clients.remove(Key.of(ended.subject()), ended);
    }

    /** Returns a connection by what an extension was shown of it; null: it has ended. */
    @Nullable SetUpClient find(Client shown) {
        return clients.get(new Key(shown.clientId(), shown.origin().address()));
    }

    int size() {
        return clients.size();
    }

    LongAdder attributeBytesAccount() {
        return attributeBytes;
    }

    /** Bytes of the attributes of all connections. */
    public long attributeBytes() {
        return attributeBytes.sum();
    }

    /** Puts a setup in the place of another one of its extension. */
    void replace(SetUpClient client, OwnSetup setup, Runnable whenDone) {
        client.connection()
                .change(() -> {
                    client.take(List.of(setup), extensions);
                    whenDone.run();
                });
    }

    // ---------------------------------------------------------------- asking

    /** Has initializers asked about one client, one after the other. */
    private abstract class Initializing {
        final SetUpClient client;
        final List<OwnSetup> made = new ArrayList<>();
        private final List<SetUpExtensions.Extension> initializing = extensions.initializing();
        private int next;

        Initializing(SetUpClient client) {
            this.client = client;
        }

        final void goOn() {
            while (next < initializing.size()) {
                SetUpExtensions.Extension extension = initializing.get(next++);
                ClientInitializer initializer = extension.initializer();
                if (initializer != null && isToAsk(extension.calls())) {
                    ask(extension.calls(), initializer);
                    return;
                }
            }
            done();
        }

        private void ask(ExtensionCalls calls, ClientInitializer initializer) {
            Pause pause = calls.paused();
            if (pause == null) {
                askNow(calls, initializer);
            } else {
                pause.add(new Held(calls, initializer), CLIENT_BYTES, calls.now());
            }
        }

        /** A question that waits while the extension is replaced. */
        private final class Held implements Pause.Held {
            private final ExtensionCalls calls;
            private final ClientInitializer initializer;

            Held(ExtensionCalls calls, ClientInitializer initializer) {
                this.calls = calls;
                this.initializer = initializer;
            }

            @Override
            public void begin(@Nullable ExtensionHooks after) {
                SetUpExtensions.Extension now = extensions.of(calls.id());
                if (after == null || now == null) {
                    askNow(calls, initializer); // It was stopped: that fails.
                } else if (now.initializer() != null && isToAsk(now.calls())) {
                    askNow(now.calls(), now.initializer());
                } else {
                    goOn();
                }
            }

            @Override
            public void refuse() {
                failed(calls, CallFailure.FULL);
            }
        }

        private void askNow(ExtensionCalls calls, ClientInitializer initializer) {
            boolean isHeld = calls.reserve(CLIENT_BYTES);
            Asking call = new Asking(this, calls, initializer, isHeld);
            if (isHeld) {
                calls.submit(call);
            } else {
                calls.failFull(call);
            }
        }

        /** Whether an extension is to be asked; if so it is noted that it was. */
        abstract boolean isToAsk(ExtensionCalls calls);

        /** Takes what all have answered. */
        abstract void done();

        /** Takes that one has not answered. */
        abstract void failed(ExtensionCalls calls, CallFailure cause);
    }

    /** One question. */
    private static final class Asking extends Call<ClientSetup, OwnSetup> {
        private final Initializing of;
        private final ExtensionCalls calls;
        private final ClientInitializer initializer;
        private final boolean isHeld;

        Asking(
                Initializing of,
                ExtensionCalls calls,
                ClientInitializer initializer,
                boolean isHeld) {
            super(CallKind.INITIALIZER);
            this.of = of;
            this.calls = calls;
            this.initializer = initializer;
            this.isHeld = isHeld;
        }

        @Override
        @Nullable CompletionStage<ClientSetup> ask() throws Exception {
            return initializer.initialize(of.client.shown());
        }

        @Override
        String clientId() {
            return of.client.subject().clientId().toString();
        }

        @Override
        OwnSetup convert(ClientSetup answer) throws BadAnswer {
            return OwnSetup.of(answer, calls);
        }

        @Override
        void onAnswer(OwnSetup answer) {
            release();
            of.made.add(answer);
            of.goOn();
        }

        @Override
        void onFailure(CallFailure cause) {
            release();
            of.failed(calls, cause);
        }

        private void release() {
            if (isHeld) {
                calls.release(CLIENT_BYTES);
            }
        }
    }

    /** A client that connects. */
    private final class Connecting extends Initializing {
        private final Consumer<@Nullable ReasonCode> answer;

        Connecting(SetUpClient client, Consumer<@Nullable ReasonCode> answer) {
            super(client);
            this.answer = answer;
        }

        /** Each: what was asked about it as a connected client it does not wait for. */
        @Override
        boolean isToAsk(ExtensionCalls calls) {
            client.ask(calls);
            return true;
        }

        @Override
        void done() {
            if (!made.isEmpty()) {
                client.connection().change(() -> client.take(made, extensions));
            }
            answer.accept(null); // Behind the change, which goes the same way.
        }

        @Override
        void failed(ExtensionCalls calls, CallFailure cause) {
            answer.accept(
                    cause == CallFailure.FULL
                            ? ReasonCode.SERVER_BUSY
                            : ReasonCode.SERVER_UNAVAILABLE);
        }
    }

    // ---------------------------------------------------------------- changing over

    private void mayHaveToChange(SetUpClient client) {
        client.changeBegins();
        left.incrementAndGet();
        toChange.add(client);
    }

    /**
     * Has some more change over; who comes while another thread does so has that one look again.
     */
    private void pump() {
        if (wantsToPump.getAndIncrement() != 0) {
            return;
        }
        int wanted = 1;
        do {
            while (changing.get() < CHANGING_MAX) {
                SetUpClient client = toChange.poll();
                if (client == null) {
                    break;
                }
                changing.incrementAndGet();
                new Changing(client).goOn();
            }
            wanted = wantsToPump.addAndGet(-wanted);
        } while (wanted != 0);
    }

    /** A connected client; one about which an initializer does not answer keeps what it had. */
    private final class Changing extends Initializing {
        Changing(SetUpClient client) {
            super(client);
        }

        @Override
        boolean isToAsk(ExtensionCalls calls) {
            return client.ask(calls);
        }

        @Override
        void done() {
            client.forgetStopped(extensions);
            if (made.isEmpty() && client.setups().isEmpty()) {
                end();
                return;
            }
            client.connection()
                    .change(() -> {
                        client.take(made, extensions);
                        end();
                    });
        }

        @Override
        void failed(ExtensionCalls calls, CallFailure cause) {
            client.askAgain(calls); // When extensions change the next time.
            goOn();
        }

        private void end() {
            changing.decrementAndGet();
            left.decrementAndGet();
            client.changeEnds();
            pump();
        }
    }
}
