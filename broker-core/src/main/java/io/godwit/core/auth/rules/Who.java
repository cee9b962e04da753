package io.godwit.core.auth.rules;

import io.godwit.core.settings.Network;
import io.godwit.extension.access.AccessRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The clients that a rule is about: conditions all of which must be met. */
final class Who {
    private final Names users;
    private final List<String> groups;
    private final Names clients;
    private final List<Network> addresses;
    private final Names listeners;
    private final @Nullable Boolean certificate;
    private final boolean isDenied;

    /** The conditions as they are written: rules that say the same share a {@link Who}. */
    record Written(
            List<String> users,
            List<String> groups,
            List<String> clients,
            List<String> addresses,
            List<String> listeners,
            @Nullable Boolean certificate,
            AccessRule.Effect effect) {
        static Written of(AccessRule rule) {
            return new Written(
                    rule.users(),
                    rule.groups(),
                    rule.clients(),
                    rule.addresses(),
                    rule.listeners(),
                    rule.certificate(),
                    rule.effect());
        }

        /** Whether there is no condition. */
        boolean isEverybody() {
            return users.isEmpty()
                    && groups.isEmpty()
                    && clients.isEmpty()
                    && addresses.isEmpty()
                    && listeners.isEmpty()
                    && certificate == null;
        }
    }

    private Who(Written from, Names clients, List<Network> addresses) {
        this.addresses = List.copyOf(addresses);
        this.users = Names.of(from.users);
        this.groups = from.groups;
        this.clients = clients;
        this.listeners = Names.of(from.listeners);
        this.certificate = from.certificate;
        this.isDenied = from.effect == AccessRule.Effect.DENY;
    }

    /**
     * @param place of the first rule that says so, from 0
     * @throws RuleMistake a value is not allowed
     */
    static Who of(Written from, int place) throws RuleMistake {
        List<String> ids = from.clients;
        for (String each : ids) {
            try {
                NamePattern.ofClientId(each);
            } catch (IllegalArgumentException bad) {
                throw RuleMistake.inRule(place, "client", each, String.valueOf(bad.getMessage()));
            }
        }
        List<Network> addresses = new ArrayList<>();
        for (String each : from.addresses) {
            Optional<Network> network = Network.parse(each);
            if (network.isEmpty()) {
                throw RuleMistake.inRule(
                        place,
                        "address",
                        each,
                        "an address, or a network as 10.0.0.0/8 or fd00::/8, is allowed");
            }
            addresses.add(network.get());
        }
        return new Who(from, Names.ofClientIds(ids), addresses);
    }

    /**
     * Returns the key of the first condition that is not met; null: all are. A client without a
     * user name does not meet {@code client: "%u"} in a rule that allows, and meets it in one that
     * denies.
     */
    @Nullable String unmet(Traits client) {
        String user = client.userName();
        if (!users.isEmpty() && (user == null || !users.matches(user, null))) {
            return "user";
        }
        if (!groups.isEmpty() && groups.stream().noneMatch(client.groups()::contains)) {
            return "group";
        }
        if (!clients.isEmpty()
                && !clients.matches(client.clientId(), user)
                && !(isDenied && user == null && clients.hasUserName())) {
            return "client";
        }
        byte[] address = client.address();
        if (!addresses.isEmpty()
                && (address == null
                        ? !isDenied
                        : addresses.stream().noneMatch(each -> each.contains(address)))) {
            return "address";
        }
        if (!listeners.isEmpty() && !listeners.matches(client.listener(), null)) {
            return "listener";
        }
        if (certificate != null && certificate != client.hasCertificate()) {
            return "certificate";
        }
        return null;
    }

    Names users() {
        return users;
    }

    List<String> groups() {
        return groups;
    }

    /** Number of values that are tried one by one. */
    int tried() {
        return users.patterns() + clients.patterns() + listeners.patterns() + addresses.size();
    }

    /** Returns client ids one of which the client must have; null: others may match, too. */
    @Nullable Names plainClients() {
        return clients.patterns() > 0 || clients.isEmpty() ? null : clients;
    }
}
