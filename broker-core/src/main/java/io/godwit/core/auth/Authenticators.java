package io.godwit.core.auth;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Holds the authenticators that are asked about a CONNECT. Immutable. */
public final class Authenticators {
    private final List<Authenticator> usual;
    private final Map<String, List<Authenticator>> ofListeners;
    private final Map<String, EnhancedAuthenticator> methods;
    private final Map<String, Authenticator> byName = new HashMap<>();

    /**
     * @param usual asked in order
     * @param ofListeners those that are asked instead at some listeners, by their names
     * @param methods by Authentication Method
     */
    public Authenticators(
            List<Authenticator> usual,
            Map<String, List<Authenticator>> ofListeners,
            Map<String, EnhancedAuthenticator> methods) {
        this.usual = List.copyOf(usual);
        this.ofListeners = Map.copyOf(ofListeners);
        this.methods = Map.copyOf(methods);
        usual.forEach(each -> byName.put(each.name(), each));
        ofListeners.values().forEach(some -> some.forEach(each -> byName.put(each.name(), each)));
    }

    /** Returns those that are asked about a CONNECT of the listener, in order. */
    public List<Authenticator> of(String listener) {
        return ofListeners.getOrDefault(listener, usual);
    }

    /** Returns the Authentication Method of that name, if clients of the listener may use it. */
    public @Nullable EnhancedAuthenticator method(String name, String listener) {
        EnhancedAuthenticator method = methods.get(name);
        if (method == null || method.authenticator().isEmpty()) {
            return method;
        }
        boolean isAsked =
                of(listener).stream().anyMatch(each -> each.name().equals(method.authenticator()));
        return isAsked ? method : null;
    }

    /** Returns the one of that name, if it is asked about anybody. */
    @Nullable Authenticator named(String name) {
        return byName.get(name);
    }
}
