package io.godwit.server;

import io.godwit.core.auth.Authenticator;
import io.godwit.core.auth.Authenticators;
import io.godwit.core.auth.EnhancedAuthenticator;
import io.godwit.core.auth.Peer;
import io.godwit.core.auth.Verdict;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.ReasonCode;
import io.godwit.server.config.Config;
import io.godwit.server.config.ListenerConfig;
import io.godwit.server.config.SecurityConfig;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** Says who is asked about a CONNECT, by the configuration and the extensions that run. */
final class AuthenticatorChains {
    private final SecurityConfig security;
    private final List<ListenerConfig> listeners;
    private final Map<String, Authenticator> own;
    private final Map<String, EnhancedAuthenticator> ownMethods;

    /**
     * @param own the broker's authenticators, by name
     * @param ownMethods the broker's, by Authentication Method
     */
    AuthenticatorChains(
            Config config,
            Map<String, Authenticator> own,
            Map<String, EnhancedAuthenticator> ownMethods) {
        security = config.security();
        listeners = config.listeners();
        this.own = Map.copyOf(own);
        this.ownMethods = Map.copyOf(ownMethods);
    }

    /** Refuses everybody: the extension that should answer does not run, or does not answer. */
    private record Absent(String name) implements Authenticator {
        @Override
        public void authenticate(Packet.Connect connect, Peer peer, Consumer<Verdict> verdict) {
            verdict.accept(
                    new Verdict.Refused(
                            ReasonCode.SERVER_UNAVAILABLE,
                            "the extension " + name + " does not authenticate clients now"));
        }
    }

    /** Returns the broker's Authentication Methods. */
    Set<String> methods() {
        return ownMethods.keySet();
    }

    /**
     * Returns those that are asked while some extensions run. One that is named and is not among
     * them refuses whoever would have been asked about.
     *
     * @param running authenticators of extensions by their ids, in the order of priority
     * @param methods of extensions, by Authentication Method
     */
    Authenticators with(
            Map<String, Authenticator> running, Map<String, EnhancedAuthenticator> methods) {
        Map<String, Authenticator> known = new LinkedHashMap<>(running);
        known.putAll(own);
        List<Authenticator> usual = new ArrayList<>();
        if (security.auto().authenticators()) {
            usual.addAll(running.values());
        }
        usual.addAll(chain(security.authenticators(), known));
        Map<String, List<Authenticator>> ofListeners = new HashMap<>();
        for (ListenerConfig each : listeners) {
            if (!each.authenticators().isEmpty()) {
                ofListeners.put(each.name(), chain(each.authenticators(), known));
            }
        }
        Map<String, EnhancedAuthenticator> allMethods = new HashMap<>(methods);
        allMethods.putAll(ownMethods);
        return new Authenticators(usual, ofListeners, allMethods);
    }

    private static List<Authenticator> chain(List<String> names, Map<String, Authenticator> known) {
        return names.stream().map(name -> known.getOrDefault(name, new Absent(name))).toList();
    }
}
