package io.godwit.server.extension.call;

import io.godwit.core.auth.Peer;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.review.ConnectOutcome;
import io.godwit.core.review.ConnectReviewer;
import io.godwit.extension.intercept.ConnectInterceptor;
import io.godwit.extension.intercept.Interception;
import io.godwit.extension.packet.ConnectPacket;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Has the interceptors of all extensions see CONNECTs. No answer keeps the client out. */
final class ConnectReviews implements ConnectReviewer {
    private final List<ActiveHook<ConnectInterceptor>> interceptors;

    ConnectReviews(List<ActiveHook<ConnectInterceptor>> interceptors) {
        this.interceptors = List.copyOf(interceptors);
    }

    @Override
    public void connect(Packet.Connect connect, Peer peer, Consumer<ConnectOutcome> answer) {
        new Chain(connect, peer, answer).begin();
    }

    List<ActiveHook<ConnectInterceptor>> interceptors() {
        return interceptors;
    }

    private final class Chain
            extends InterceptorChain<
                    ConnectInterceptor, ConnectPacket, Packet.Connect, ConnectOutcome> {
        private final ClientId clientId;
        private final Peer peer;
        private final Consumer<ConnectOutcome> answer;

        Chain(Packet.Connect connect, Peer peer, Consumer<ConnectOutcome> answer) {
            super(interceptors, CallKind.CONNECT_INTERCEPTOR, connect.accountedBytes(), connect);
            this.clientId = connect.clientId();
            this.peer = peer;
            this.answer = answer;
        }

        @Override
        String clientId() {
            return clientId.toString();
        }

        @Override
        void whenChanged(Runnable then) {
            then.run();
        }

        @Override
        List<ActiveHook<ConnectInterceptor>> hooksOf(ExtensionHooks after) {
            return after.askedAboutConnects().interceptors();
        }

        @Override
        ConnectPacket shown(Packet.Connect given) {
            return Packets.connect(given);
        }

        @Override
        @Nullable CompletionStage<Interception<ConnectPacket>> ask(
                ConnectInterceptor interceptor, ConnectPacket packet) throws Exception {
            return interceptor.onConnect(Packets.origin(peer), packet);
        }

        @Override
        Packet.Connect made(ConnectPacket made, ConnectPacket before, Packet.Connect given)
                throws BadAnswer {
            return MadeConnect.of(made, before, given);
        }

        @Override
        ConnectOutcome stopped(Interception<ConnectPacket> answer) throws BadAnswer {
            return answer instanceof Interception.Refused<ConnectPacket> refused
                    ? new ConnectOutcome.Refused(LegalReason.CONNACK.of(refused.reason()))
                    : new ConnectOutcome.Dropped();
        }

        @Override
        ConnectOutcome goes(Packet.Connect made) {
            return new ConnectOutcome.Go(made);
        }

        @Override
        ConnectOutcome failed(CallFailure cause) {
            return cause == CallFailure.FULL
                    ? new ConnectOutcome.Refused(ReasonCode.SERVER_BUSY)
                    : new ConnectOutcome.Failed();
        }

        @Override
        void finish(ConnectOutcome outcome) {
            answer.accept(outcome);
        }
    }
}
