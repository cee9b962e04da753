package io.godwit.core.connection;

import io.godwit.core.auth.AnonymousAccess;
import io.godwit.core.auth.Authenticator;
import io.godwit.core.auth.CertificateIdentity;
import io.godwit.core.auth.Identity;
import io.godwit.core.auth.Peer;
import io.godwit.core.auth.Security;
import io.godwit.core.auth.Verdict;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.ReasonCode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The question who sends a CONNECT: its certificate says so, or authenticators are asked, one after
 * the other, until one lets it in or refuses it. An answer counts once, and only while it is waited
 * for.
 */
final class Authentication {
    private static final int NOBODY = -1;

    private final ConnectionLife connection;
    private final ConnectHandler handler;
    private final Packet.Connect connect;
    private final Peer peer;
    private final List<Authenticator> chain;

    /** Place in the chain of the one whose answer is waited for. */
    private int asked = NOBODY;

    Authentication(
            ConnectionLife connection, ConnectHandler handler, Packet.Connect connect, Peer peer) {
        this.connection = connection;
        this.handler = handler;
        this.connect = connect;
        this.peer = peer;
        this.chain = connection.context.security().authenticators().of(peer.listener());
    }

    /**
     * Returns the CONNECT as authenticators are asked about it, with the certificate's name in
     * place of the user name where that is so; null when the certificate does not fit, and the
     * CONNECT is refused.
     */
    static Packet.@Nullable Connect named(
            @Nullable CertificateIdentity identity,
            Packet.Connect connect,
            Peer peer,
            ConnectHandler handler) {
        if (identity == null) {
            return connect;
        }
        String name = peer.certificateName();
        if (name == null) {
            handler.refuse(
                    ReasonCode.NOT_AUTHORIZED,
                    "this listener needs a certificate with a name (tls.identity)");
            return null;
        }
        if (identity.isClientId() && !name.equals(connect.clientId().toString())) {
            handler.refuse(
                    ReasonCode.CLIENT_IDENTIFIER_NOT_VALID,
                    "the client id is not the certificate's name (tls.identity-for)");
            return null;
        }
        return identity.isUserName() ? connect.withUserName(name) : connect;
    }

    void begin() {
        Security security = connection.context.security();
        CertificateIdentity certificate = security.certificate(peer.listener());
        if (certificate != null && !certificate.andPassword()) {
            handler.authenticated(Identity.ofUser(peer.certificateName()), null);
            return;
        }
        connection.awaitVerdict(security.authenticateMs());
        ask(0);
    }

    private void ask(int place) {
        if (place == chain.size()) {
            asked = NOBODY;
            AnonymousAccess anonymous = connection.context.security().anonymous();
            decided(anonymous.decide(connect, peer, !chain.isEmpty()), "");
            return;
        }
        asked = place;
        Authenticator authenticator = chain.get(place);
        try {
            authenticator.authenticate(
                    connect,
                    peer,
                    verdict -> connection.shard.run(() -> onVerdict(place, verdict)));
        } catch (RuntimeException failure) {
            connection.context.log().authenticatorFailed(authenticator.name(), failure);
            onVerdict(place, new Verdict.Refused(ReasonCode.SERVER_UNAVAILABLE));
        }
    }

    private void onVerdict(int place, @Nullable Verdict verdict) {
        if (asked != place) {
            return;
        }
        asked = NOBODY;
        if (verdict instanceof Verdict.PassedOn) {
            ask(place + 1);
        } else if (verdict == null) {
            connection.context.log().authenticatorFailed(chain.get(place).name(), null);
            handler.refuse(ReasonCode.SERVER_UNAVAILABLE);
        } else {
            decided(verdict, chain.get(place).name());
        }
    }

    private void decided(Verdict verdict, String authenticator) {
        switch (verdict) {
            case Verdict.Granted granted ->
                    handler.authenticated(grantedBy(granted.identity(), authenticator), null);
            case Verdict.Refused refused -> handler.refuse(refused.reason(), refused.text());
            case Verdict.PassedOn passed -> throw new IllegalStateException();
        }
    }

    /** Returns an identity with the authenticator; nobody has granted that of anonymous clients. */
    static Identity grantedBy(Identity identity, String authenticator) {
        return authenticator.isEmpty() ? identity : identity.grantedBy(authenticator);
    }

    /**
     * Refuses the CONNECT if an authenticator has not answered in its time.
     *
     * @return whether one was waited for
     */
    boolean timedOut() {
        if (asked == NOBODY) {
            return false;
        }
        connection.context.log().authenticatorSilent(chain.get(asked).name());
        asked = NOBODY;
        handler.refuse(ReasonCode.SERVER_UNAVAILABLE);
        return true;
    }
}
