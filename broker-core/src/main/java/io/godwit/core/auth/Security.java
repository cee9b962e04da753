package io.godwit.core.auth;

import java.util.HashMap;
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

    private final List<Authenticator> authenticators;
    private final Map<String, List<Authenticator>> ofListeners;
    private final Map<String, EnhancedAuthenticator> methods;
    private final Map<String, CertificateIdentity> certificates;
    private final Map<String, Authenticator> byName = new HashMap<>();
    private final AnonymousAccess anonymous;
    private final long authenticateMs;
    private final SessionOwner sessionOwner;
    private volatile AccessControl accessControl;

    /** Says whose a session is ({@code security.session-owner}). */
    public enum SessionOwner {
        /** The user's who made it: others may not connect with its client id. */
        USER,
        /** Anyone's who connects with its client id. */
        ANYONE
    }

    /**
     * @param authenticators asked in order
     * @param ofListeners those that are asked instead at some listeners, by their names
     * @param methods by Authentication Method
     * @param certificates by listener, where certificates are identities
     * @param authenticateMs that an authenticator may take
     */
    public Security(
            List<Authenticator> authenticators,
            Map<String, List<Authenticator>> ofListeners,
            Map<String, EnhancedAuthenticator> methods,
            Map<String, CertificateIdentity> certificates,
            AnonymousAccess anonymous,
            AccessControl accessControl,
            SessionOwner sessionOwner,
            long authenticateMs) {
        this.authenticators = List.copyOf(authenticators);
        this.ofListeners = Map.copyOf(ofListeners);
        this.methods = Map.copyOf(methods);
        this.certificates = Map.copyOf(certificates);
        this.anonymous = anonymous;
        this.accessControl = accessControl;
        this.sessionOwner = sessionOwner;
        this.authenticateMs = authenticateMs;
        authenticators.forEach(each -> byName.put(each.name(), each));
        ofListeners.values().forEach(some -> some.forEach(each -> byName.put(each.name(), each)));
    }

    /** Returns one that lets everyone in, and knows these Authentication Methods. */
    public static Security open(Map<String, EnhancedAuthenticator> methods) {
        return new Security(
                List.of(),
                Map.of(),
                methods,
                Map.of(),
                new AnonymousAccess(AnonymousAccess.Policy.EVERYONE, () -> {}),
                AccessControl.OPEN,
                SessionOwner.ANYONE,
                AUTHENTICATE_MS);
    }

    /** Returns those that are asked about a CONNECT of the listener, in order. */
    public List<Authenticator> authenticators(String listener) {
        return ofListeners.getOrDefault(listener, authenticators);
    }

    /** Returns the Authentication Method of that name, if clients of the listener may use it. */
    public @Nullable EnhancedAuthenticator method(String name, String listener) {
        EnhancedAuthenticator method = methods.get(name);
        if (method == null || method.authenticator().isEmpty()) {
            return method;
        }
        boolean isAsked =
                authenticators(listener).stream()
                        .anyMatch(each -> each.name().equals(method.authenticator()));
        return isAsked ? method : null;
    }

    /** Whether the user of an identity was removed since an authenticator has granted it. */
    public boolean isRemoved(Identity identity) {
        Authenticator by = byName.get(identity.authenticator());
        return by != null && by.isRemoved(identity);
    }

    /** Returns what the listener makes of certificates; null: nothing. */
    public @Nullable CertificateIdentity certificate(String listener) {
        return certificates.get(listener);
    }

    public AnonymousAccess anonymous() {
        return anonymous;
    }

    public long authenticateMs() {
        return authenticateMs;
    }

    public SessionOwner sessionOwner() {
        return sessionOwner;
    }

    /** Returns the rules for clients whose authenticator has brought none. */
    public AccessControl accessControl() {
        return accessControl;
    }

    /** Puts other rules in their place; who is connected has to be looked at after that. */
    public void accessControl(AccessControl next) {
        accessControl = next;
    }
}
