package io.godwit.server.security.users;

import io.godwit.core.auth.EnhancedAuthenticator;
import io.godwit.core.auth.Identity;
import io.godwit.core.auth.Peer;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.ReasonCode;
import io.godwit.server.config.SecurityConfig;
import io.godwit.server.security.users.PasswordHash.OfScram;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * SCRAM-SHA-256 (RFC 5802, RFC 7677) without channel binding, for users of the file whose line has
 * its keys. Another name gets a salt, too, the same each time, and is refused at the end. Any
 * thread.
 */
class ScramAuthenticator implements EnhancedAuthenticator {
    static final String METHOD = "SCRAM-SHA-256";

    private static final int NONCE_BYTES = 18;
    private static final Base64.Encoder BASE64 = Base64.getEncoder();

    private final Users users;
    private final RandomGenerator random;

    ScramAuthenticator(Users users, RandomGenerator random) {
        this.users = users;
        this.random = random;
    }

    @Override
    public String method() {
        return METHOD;
    }

    @Override
    public String authenticator() {
        return SecurityConfig.USERS;
    }

    @Override
    public Exchange begin(Packet.Connect connect, Peer peer) {
        return new Steps(connect.userName(), peer);
    }

    /** Returns the server's part of the nonce: it makes each exchange a new one. */
    String nonce() {
        byte[] bytes = new byte[NONCE_BYTES];
        random.nextBytes(bytes);
        return BASE64.encodeToString(bytes);
    }

    /** Returns keys that look like a user's and that no password fits. */
    private OfScram disguise(String userName) {
        OfScram form = users.table().scramStandIn(users.gate().hash(userName));
        byte[] salt = users.disguise("salt", userName);
        return new OfScram(
                form == null ? NewHashes.SCRAM_ITERATIONS : form.iterations(),
                Arrays.copyOf(
                        Hmac.SHA512.of(salt),
                        form == null ? NewHashes.SALT_BYTES : form.salt().length),
                users.disguise("stored", userName),
                users.disguise("server", userName));
    }

    private enum State {
        FIRST,
        LAST,
        OVER
    }

    private final class Steps implements Exchange {
        private final @Nullable String connectName;
        private final Peer peer;
        private State state = State.FIRST;
        private @Nullable Proof expected;

        Steps(@Nullable String connectName, Peer peer) {
            this.connectName = connectName;
            this.peer = peer;
        }

        @Override
        public void step(byte @Nullable [] data, Consumer<Step> answer) {
            State now = state;
            state = State.OVER; // unless the first message is a good one
            try {
                Proof proof = expected;
                expected = null;
                if (now == State.FIRST) {
                    first(ScramMessage.first(data), answer);
                } else if (now == State.LAST && proof != null) {
                    new Login(proof, ScramMessage.last(data), peer, answer).begin();
                } else {
                    throw new ScramMessage.Malformed("the exchange is over");
                }
            } catch (ScramMessage.Malformed e) {
                answer.accept(new Step.Failure(ReasonCode.PROTOCOL_ERROR));
            }
        }

        private void first(ScramMessage.First first, Consumer<Step> answer) {
            if (connectName != null && !connectName.equals(first.userName())) {
                answer.accept(new Step.Failure(ReasonCode.BAD_USER_NAME_OR_PASSWORD));
                return;
            }
            User user = users.table().find(first.userName());
            OfScram keys =
                    user != null && user.hash() instanceof OfScram own
                            ? own
                            : disguise(first.userName());
            String nonce = first.nonce() + nonce();
            String challenge =
                    "r="
                            + nonce
                            + ",s="
                            + BASE64.encodeToString(keys.salt())
                            + ",i="
                            + keys.iterations();
            expected = new Proof(first, user, keys, nonce, challenge);
            state = State.LAST;
            answer.accept(new Step.Continue(challenge.getBytes(StandardCharsets.UTF_8)));
        }

        @Override
        public String toString() {
            return METHOD + " " + state;
        }
    }

    /**
     * Holds what the client's last message has to fit.
     *
     * @param user null: not known
     */
    private record Proof(
            ScramMessage.First first,
            @Nullable User user,
            OfScram keys,
            String nonce,
            String challenge) {
        byte[] message(ScramMessage.Final last) {
            return (first.bare() + "," + challenge + "," + last.withoutProof())
                    .getBytes(StandardCharsets.UTF_8);
        }

        boolean isRight(ScramMessage.Final last) {
            byte[] header = first.header().getBytes(StandardCharsets.UTF_8);
            byte[] signature = Hmac.SHA256.of(keys.storedKey(), message(last));
            byte[] clientKey = last.proof();
            if (clientKey.length != signature.length) {
                return false;
            }
            for (int i = 0; i < signature.length; i++) {
                clientKey[i] ^= signature[i];
            }
            boolean isKey = MessageDigest.isEqual(Hmac.sha256(clientKey), keys.storedKey());
            Arrays.fill(clientKey, (byte) 0);
            return isKey
                    && nonce.equals(last.nonce())
                    && BASE64.encodeToString(header).equals(last.binding());
        }

        @Override
        public String toString() {
            return METHOD;
        }
    }

    /** The check of a proof, in its turn. */
    private final class Login implements LoginGate.Login {
        private final Proof expected;
        private final ScramMessage.Final last;
        private final Peer peer;
        private final Consumer<Step> answer;
        private final String address;

        Login(Proof expected, ScramMessage.Final last, Peer peer, Consumer<Step> answer) {
            this.expected = expected;
            this.last = last;
            this.peer = peer;
            this.answer = answer;
            this.address = ClientAddress.of(peer.remoteAddress());
        }

        void begin() {
            users.gate().enter(this);
        }

        @Override
        public String address() {
            return address;
        }

        @Override
        public String userName() {
            return expected.first().userName();
        }

        @Override
        public void check(boolean hasTurn) {
            User user = expected.user();
            boolean isRight = expected.isRight(last);
            if (isRight && user != null && users.isCurrent(userName(), user)) {
                users.gate().succeeded(this);
                byte[] signature =
                        Hmac.SHA256.of(expected.keys().serverKey(), expected.message(last));
                String verifier = "v=" + BASE64.encodeToString(signature);
                answer.accept(
                        new Step.Success(
                                verifier.getBytes(StandardCharsets.UTF_8),
                                Identity.ofUser(user.name())));
            } else {
                users.gate().failed(this, peer.listener());
                answer.accept(new Step.Failure(ReasonCode.BAD_USER_NAME_OR_PASSWORD));
            }
        }

        @Override
        public void refuse() {
            users.metrics().tooMany.increment();
            answer.accept(new Step.Failure(ReasonCode.CONNECTION_RATE_EXCEEDED));
        }
    }
}
