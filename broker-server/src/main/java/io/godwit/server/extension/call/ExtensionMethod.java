package io.godwit.server.extension.call;

import io.godwit.core.auth.EnhancedAuthenticator;
import io.godwit.core.auth.Peer;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ReasonCode;
import io.godwit.extension.auth.AuthenticationRequest;
import io.godwit.extension.auth.EnhancedAuthenticator.Step.Continue;
import io.godwit.extension.auth.EnhancedAuthenticator.Step.Failure;
import io.godwit.extension.auth.EnhancedAuthenticator.Step.Success;
import io.godwit.extension.packet.Bytes;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs an Authentication Method of an extension. No answer keeps the client out. */
final class ExtensionMethod implements EnhancedAuthenticator {
    private final ExtensionCalls calls;
    private final String method;
    private final io.godwit.extension.auth.EnhancedAuthenticator target;

    ExtensionMethod(
            ExtensionCalls calls,
            String method,
            io.godwit.extension.auth.EnhancedAuthenticator target) {
        this.calls = calls;
        this.method = method;
        this.target = target;
    }

    @Override
    public String method() {
        return method;
    }

    @Override
    public String authenticator() {
        return calls.id(); // It is asked where its extension is.
    }

    @Override
    public Exchange begin(Packet.Connect connect, Peer peer) {
        return new Steps(connect, peer);
    }

    /** One exchange, which the extension begins in its own thread with the first step. */
    private final class Steps implements Exchange {
        private final ClientId clientId;
        private final Peer peer;
        private final boolean isAgain;
        private Packet.@Nullable Connect connect;
        private io.godwit.extension.auth.EnhancedAuthenticator.@Nullable Exchange exchange;

        /** At the extension that has taken this one's place before the first step. */
        private volatile @Nullable Exchange elsewhere;

        Steps(Packet.Connect connect, Peer peer) {
            this.clientId = connect.clientId();
            this.connect = connect;
            this.peer = peer;
            // Of a client that re-authenticates the properties are not kept.
            this.isAgain = !connect.properties().has(Property.AUTHENTICATION_METHOD);
        }

        @Override
        public void step(byte @Nullable [] data, Consumer<Step> answer) {
            Exchange other = elsewhere;
            if (other != null) {
                other.step(data, answer);
                return;
            }
            Packet.Connect first = connect;
            Pause pause = calls.paused();
            if (first == null || pause == null) {
                ask(data, answer);
            } else {
                pause.add(new Held(first, data, answer), first.accountedBytes(), calls.now());
            }
        }

        /** A first step that waits while the extension is replaced. */
        private final class Held implements Pause.Held {
            private final Packet.Connect first;
            private final byte @Nullable [] data;
            private final Consumer<Step> answer;

            Held(Packet.Connect first, byte @Nullable [] data, Consumer<Step> answer) {
                this.first = first;
                this.data = data;
                this.answer = answer;
            }

            @Override
            public void begin(@Nullable ExtensionHooks next) {
                EnhancedAuthenticator other = next == null ? null : next.methods().get(method);
                if (other == null) {
                    ask(data, answer); // It was stopped: that fails.
                } else {
                    Exchange begun = other.begin(first, peer);
                    elsewhere = begun;
                    begun.step(data, answer);
                }
            }

            @Override
            public void refuse() {
                answer.accept(new Step.Failure(ReasonCode.SERVER_BUSY));
            }
        }

        private void ask(byte @Nullable [] data, Consumer<Step> answer) {
            Packet.Connect first = connect;
            long bytes =
                    (first == null ? 0 : first.accountedBytes()) + (data == null ? 0 : data.length);
            Stepping call = new Stepping(data, answer, bytes);
            if (calls.reserve(bytes)) {
                call.isHeld = true;
                calls.submit(call);
            } else {
                calls.failFull(call);
            }
        }

        private final class Stepping
                extends Call<io.godwit.extension.auth.EnhancedAuthenticator.Step, Step> {
            private final byte @Nullable [] data;
            private final Consumer<Step> answer;
            private final long bytes;
            boolean isHeld;

            Stepping(byte @Nullable [] data, Consumer<Step> answer, long bytes) {
                super(CallKind.AUTHENTICATION_STEP);
                this.data = data;
                this.answer = answer;
                this.bytes = bytes;
            }

            @Override
            @Nullable CompletionStage<io.godwit.extension.auth.EnhancedAuthenticator.Step> ask()
                    throws Exception {
                Packet.Connect first = connect;
                if (first != null) {
                    connect = null;
                    exchange =
                            target.begin(
                                    new AuthenticationRequest(
                                            Packets.connect(first), Packets.origin(peer)));
                }
                io.godwit.extension.auth.EnhancedAuthenticator.Exchange running = exchange;
                return running == null
                        ? null
                        : running.step(data == null ? null : Bytes.copyOf(data));
            }

            @Override
            Step convert(io.godwit.extension.auth.EnhancedAuthenticator.Step step)
                    throws BadAnswer {
                return switch (step) {
                    case Continue more -> new Step.Continue(binary(more.data()));
                    case Success success ->
                            new Step.Success(
                                    binary(success.data()), GrantCheck.identity(success.grant()));
                    case Failure failure ->
                            new Step.Failure(LegalReason.CONNACK.of(failure.reason()));
                };
            }

            private byte @Nullable [] binary(@Nullable Bytes bytes) throws BadAnswer {
                return bytes == null ? null : Packets.binary(bytes, "authentication data");
            }

            @Override
            String clientId() {
                return clientId.toString();
            }

            @Override
            void onAnswer(Step step) {
                release();
                answer.accept(step);
            }

            @Override
            void onFailure(CallFailure cause) {
                release();
                ReasonCode reason =
                        isAgain
                                ? ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR
                                : ReasonCode.SERVER_UNAVAILABLE;
                answer.accept(
                        new Step.Failure(
                                cause == CallFailure.FULL ? ReasonCode.SERVER_BUSY : reason));
            }

            private void release() {
                if (isHeld) {
                    calls.release(bytes);
                }
            }
        }
    }
}
