package io.godwit.server.security.users;

import io.godwit.core.auth.Authenticator;
import io.godwit.core.auth.Identity;
import io.godwit.core.auth.Peer;
import io.godwit.core.auth.Verdict;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.ReasonCode;
import io.godwit.server.config.SecurityConfig;
import io.godwit.server.security.users.PasswordHash.OfToken;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Checks user name and password of a CONNECT by the file of users.
 *
 * <p>A token, and a password that was right shortly before, are compared at once. Any other
 * password may have to wait because of wrong ones before it ({@link LoginGate}), and is hashed by
 * {@link PasswordHashers}. So is that of a user who is not known, in vain: the time tells nobody
 * whether there is such a user. Any thread.
 */
final class UsersAuthenticator implements Authenticator {
    /** Says the same of an unknown user, of whom nobody else knows either. */
    private static final String WRONG = "no such user, or a wrong password";

    private static final Verdict PASSED_ON = new Verdict.PassedOn();

    private final Users users;

    UsersAuthenticator(Users users) {
        this.users = users;
    }

    @Override
    public String name() {
        return SecurityConfig.USERS;
    }

    @Override
    public void authenticate(Packet.Connect connect, Peer peer, Consumer<Verdict> verdict) {
        String userName = connect.userName();
        if (userName == null) {
            verdict.accept(PASSED_ON);
        } else {
            new Attempt(userName, connect.password(), peer, verdict).begin();
        }
    }

    @Override
    public boolean isRemoved(Identity identity) {
        String userName = identity.userName();
        return userName != null && users.isRemoved(userName);
    }

    /** The check of one CONNECT; its steps follow each other, on several threads. */
    private final class Attempt implements LoginGate.Login, PasswordHashers.Job {
        private final String userName;
        private final byte @Nullable [] password;
        private final Peer peer;
        private final Consumer<Verdict> verdict;
        private final String address;
        private final byte[] mac;
        private final @Nullable User user;
        private boolean hasTurn;

        Attempt(String userName, byte @Nullable [] password, Peer peer, Consumer<Verdict> verdict) {
            this.userName = userName;
            this.password = password == null ? null : password.clone();
            this.peer = peer;
            this.verdict = verdict;
            this.address = ClientAddress.of(peer.remoteAddress());
            this.user = users.table().find(userName);
            this.mac = password == null ? new byte[0] : users.mac(userName, password);
        }

        @Override
        public String address() {
            return address;
        }

        @Override
        public String userName() {
            return userName;
        }

        void begin() {
            if (password == null) {
                wrong();
            } else if (isRemembered() || isTokenRight(password)) {
                grant();
            } else if (user == null && !users.isLast(peer.listener())) {
                check(true); // whether it is wrong another authenticator says
            } else {
                users.gate().enter(this);
            }
        }

        @Override
        public void check(boolean turn) {
            hasTurn = turn;
            if (isRemembered()) { // meanwhile
                grant();
                return;
            }
            PasswordHash hash = hash();
            if (hash == null || hash.isQuick()) {
                wrong();
            } else {
                users.hashers().submit(address, this);
            }
        }

        private @Nullable PasswordHash hash() {
            return user != null ? user.hash() : users.table().standIn(users.gate().hash(userName));
        }

        @Override
        public void hash(Argon2id argon2) {
            if (!hasTurn && users.gate().isSlowed(this)) {
                users.gate().enter(this);
                return;
            }
            PasswordHash hash = hash();
            byte[] checked = password;
            if (hash == null || checked == null) {
                wrong();
                return;
            }
            users.metrics().hashed.increment();
            boolean isRight = hash.matches(checked, argon2);
            User known = user;
            if (isRight && known != null) {
                users.gate().succeeded(this);
                users.remember(known, mac);
                grant();
            } else {
                wrong();
            }
        }

        /** There was no place in front of the hashers, or too many were wrong before. */
        @Override
        public void refuse() {
            if (isRemembered()) {
                grant();
            } else if (users.gate().isSlowed(this)) {
                users.metrics().tooMany.increment();
                answer(
                        new Verdict.Refused(
                                ReasonCode.CONNECTION_RATE_EXCEEDED,
                                "too many wrong passwords; try again later"));
            } else {
                users.metrics().busy.increment();
                answer(
                        new Verdict.Refused(
                                ReasonCode.SERVER_BUSY, "too many logins; try again later"));
            }
        }

        private boolean isRemembered() {
            if (user == null || !users.isRemembered(user, mac)) {
                return false;
            }
            users.metrics().remembered.increment();
            return true;
        }

        private boolean isTokenRight(byte[] token) {
            return user != null && user.hash() instanceof OfToken hash && hash.matches(token);
        }

        private void grant() {
            if (user != null && users.isCurrent(userName, user)) {
                answer(new Verdict.Granted(Identity.ofUser(user.name())));
            } else {
                wrong(); // the file has changed
            }
        }

        private void wrong() {
            boolean isLast = users.isLast(peer.listener());
            if (user != null || isLast) {
                users.gate().failed(this, peer.listener());
            }
            answer(
                    user == null
                            ? PASSED_ON
                            : new Verdict.Refused(ReasonCode.BAD_USER_NAME_OR_PASSWORD, WRONG));
        }

        private void answer(Verdict answer) {
            if (password != null) {
                Arrays.fill(password, (byte) 0);
            }
            verdict.accept(answer);
        }

        @Override
        public String toString() {
            return "login from " + address;
        }
    }
}
