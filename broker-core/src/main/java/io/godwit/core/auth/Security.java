package io.godwit.core.auth;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Holds what decides about clients: who is asked about a CONNECT, and which rules count. Any
 * thread.
 */
public final class Security {
    /** Milliseconds that an authenticator may take, where nothing else is configured. */
    public static final long AUTHENTICATE_MS = 5_000;

    private final Map<String, CertificateIdentity> certificates;
    private final long authenticateMs;
    private volatile Authenticators authenticators;
    private volatile AnonymousAccess anonymous;
    private volatile SessionOwner sessionOwner;
    private volatile AccessControl accessControl;

    /** Says whose a session is ({@code security.session-owner}). */
    public enum SessionOwner {
        /** The user's who made it: others may not connect with its client id. */
        USER,
        /** Anyone's who connects with its client id. */
        ANYONE
    }

    /**
     * @param certificates by listener, where certificates are identities
     * @param authenticateMs that an authenticator may take
     */
    public Security(
            Authenticators authenticators,
            Map<String, CertificateIdentity> certificates,
            AnonymousAccess anonymous,
            AccessControl accessControl,
            SessionOwner sessionOwner,
            long authenticateMs) {
        this.authenticators = authenticators;
        this.certificates = Map.copyOf(certificates);
        this.anonymous = anonymous;
        this.accessControl = accessControl;
        this.sessionOwner = sessionOwner;
        this.authenticateMs = authenticateMs;
    }

    /** Returns one that lets everyone in, and knows these Authentication Methods. */
    public static Security open(Map<String, EnhancedAuthenticator> methods) {
        return new Security(
                new Authenticators(List.of(), Map.of(), methods),
                Map.of(),
                new AnonymousAccess(AnonymousAccess.Policy.EVERYONE, () -> {}),
                AccessControl.OPEN,
                SessionOwner.ANYONE,
                AUTHENTICATE_MS);
    }

    public Authenticators authenticators() {
        return authenticators;
    }

    /** Has others asked about the CONNECTs that come from now on. */
    public void authenticators(Authenticators next) {
        authenticators = next;
    }

    /** Whether the user of an identity was removed since an authenticator has granted it. */
    public boolean isRemoved(Identity identity) {
        Authenticator by = authenticators.named(identity.authenticator());
        return by != null && by.isRemoved(identity);
    }

    /** Returns what the listener makes of certificates; null: nothing. */
    public @Nullable CertificateIdentity certificate(String listener) {
        return certificates.get(listener);
    }

    public AnonymousAccess anonymous() {
        return anonymous;
    }

    /** Has another one decide about clients that nobody knows. */
    public void anonymous(AnonymousAccess next) {
        anonymous = next;
    }

    public long authenticateMs() {
        return authenticateMs;
    }

    public SessionOwner sessionOwner() {
        return sessionOwner;
    }

    /** Says whose sessions are that are connected to from now on. */
    public void sessionOwner(SessionOwner next) {
        sessionOwner = next;
    }

    /** Returns the rules for clients whose authenticator has brought none. */
    public AccessControl accessControl() {
        return accessControl;
    }

    /**
     * Returns the rules of a client: those that its authenticator has brought, else those that were
     * set up for its connection, else the node's.
     */
    public AccessControl rulesOf(Subject client) {
        AccessControl granted = client.identity().access();
        if (granted != null) {
            return granted;
        }
        ConnectionSetup setup = client.setup();
        AccessControl own = setup == null ? null : setup.access();
        return own == null ? accessControl : own;
    }

    /** Puts other rules in their place; who is connected has to be looked at after that. */
    public void accessControl(AccessControl next) {
        accessControl = next;
    }
}
