package io.godwit.conformance.target;

import io.godwit.core.auth.EnhancedAuthenticator;
import io.godwit.core.auth.Identity;
import io.godwit.core.auth.Peer;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.ReasonCode;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** "hello", "challenge", "answer", "welcome"; anything else is not authorized. */
final class ScriptedMethod implements EnhancedAuthenticator {
    @Override
    public String method() {
        return "GODWIT-TEST";
    }

    @Override
    public Exchange begin(Packet.Connect connect, Peer peer) {
        return new Conversation();
    }

    private static final class Conversation implements Exchange {
        private boolean challenged;

        @Override
        public void step(byte @Nullable [] data, Consumer<Step> answer) {
            String said = data == null ? "" : new String(data, StandardCharsets.UTF_8);
            if (!challenged && said.equals("hello")) {
                challenged = true;
                answer.accept(new Step.Continue(bytes("challenge")));
            } else if (challenged && said.equals("answer")) {
                answer.accept(new Step.Success(bytes("welcome"), Identity.ANONYMOUS));
            } else {
                answer.accept(new Step.Failure(ReasonCode.NOT_AUTHORIZED));
            }
        }

        private static byte[] bytes(String text) {
            return text.getBytes(StandardCharsets.UTF_8);
        }
    }
}
