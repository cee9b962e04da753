package io.godwit.server.extension.call;

import io.godwit.core.auth.Authenticator;
import io.godwit.core.auth.Peer;
import io.godwit.core.auth.Verdict;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.ReasonCode;
import io.godwit.extension.auth.AuthenticationRequest;
import io.godwit.extension.auth.AuthenticationResult;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Asks an extension who a client is. No answer keeps the client out. */
final class ExtensionAuthenticator implements Authenticator {
    private final ExtensionCalls calls;
    private final io.godwit.extension.auth.Authenticator target;

    ExtensionAuthenticator(ExtensionCalls calls, io.godwit.extension.auth.Authenticator target) {
        this.calls = calls;
        this.target = target;
    }

    @Override
    public String name() {
        return calls.id();
    }

    @Override
    public void authenticate(Packet.Connect connect, Peer peer, Consumer<Verdict> verdict) {
        Pause pause = calls.paused();
        if (pause == null) {
            ask(connect, peer, verdict);
        } else {
            pause.add(new Held(connect, peer, verdict), connect.accountedBytes(), calls.now());
        }
    }

    /** A CONNECT that waits while the extension is replaced. */
    private final class Held implements Pause.Held {
        private final Packet.Connect connect;
        private final Peer peer;
        private final Consumer<Verdict> verdict;

        Held(Packet.Connect connect, Peer peer, Consumer<Verdict> verdict) {
            this.connect = connect;
            this.peer = peer;
            this.verdict = verdict;
        }

        @Override
        public void begin(@Nullable ExtensionHooks next) {
            Authenticator other = next == null ? null : next.authenticators().get(calls.id());
            if (other == null) {
                ask(connect, peer, verdict); // It was stopped: that fails.
            } else {
                other.authenticate(connect, peer, verdict);
            }
        }

        @Override
        public void refuse() {
            verdict.accept(new Verdict.Refused(ReasonCode.SERVER_BUSY));
        }
    }

    private void ask(Packet.Connect connect, Peer peer, Consumer<Verdict> verdict) {
        long bytes = connect.accountedBytes();
        Asking call = new Asking(connect, peer, verdict, bytes);
        if (calls.reserve(bytes)) {
            call.isHeld = true;
            calls.submit(call);
        } else {
            calls.failFull(call);
        }
    }

    private final class Asking extends Call<AuthenticationResult, Verdict> {
        private final Packet.Connect connect;
        private final Peer peer;
        private final Consumer<Verdict> verdict;
        private final long bytes;
        boolean isHeld;

        Asking(Packet.Connect connect, Peer peer, Consumer<Verdict> verdict, long bytes) {
            super(CallKind.AUTHENTICATE);
            this.connect = connect;
            this.peer = peer;
            this.verdict = verdict;
            this.bytes = bytes;
        }

        @Override
        @Nullable CompletionStage<AuthenticationResult> ask() throws Exception {
            return target.authenticate(
                    new AuthenticationRequest(Packets.connect(connect), Packets.origin(peer)));
        }

        @Override
        Verdict convert(AuthenticationResult answer) throws BadAnswer {
            return switch (answer) {
                case AuthenticationResult.Granted granted ->
                        new Verdict.Granted(GrantCheck.identity(granted.grant()));
                case AuthenticationResult.PassedOn passedOn -> new Verdict.PassedOn();
                case AuthenticationResult.Refused refused ->
                        refused(LegalReason.CONNACK.of(refused.reason()), refused.text());
            };
        }

        private Verdict refused(ReasonCode reason, @Nullable String text) throws BadAnswer {
            if (text != null) {
                Utf8Text.of(text, "text");
            }
            return new Verdict.Refused(reason, text == null ? "" : text);
        }

        @Override
        String clientId() {
            return connect.clientId().toString();
        }

        @Override
        void onAnswer(Verdict answer) {
            release();
            verdict.accept(answer);
        }

        @Override
        void onFailure(CallFailure cause) {
            release();
            verdict.accept(
                    new Verdict.Refused(
                            cause == CallFailure.FULL
                                    ? ReasonCode.SERVER_BUSY
                                    : ReasonCode.SERVER_UNAVAILABLE));
        }

        private void release() {
            if (isHeld) {
                calls.release(bytes);
            }
        }
    }
}
