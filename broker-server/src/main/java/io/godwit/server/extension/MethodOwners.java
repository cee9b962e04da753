package io.godwit.server.extension;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Knows which extension has which Authentication Method. One that is being replaced has its methods
 * twice for a moment.
 */
final class MethodOwners {
    private static final class Owner {
        final String id;
        int holds;

        Owner(String id) {
            this.id = id;
        }
    }

    private final Set<String> ofBroker;
    private final Map<String, Owner> owners = new HashMap<>();

    /**
     * @param ofBroker methods of the broker's own
     */
    MethodOwners(Set<String> ofBroker) {
        this.ofBroker = Set.copyOf(ofBroker);
    }

    /**
     * @throws IllegalStateException the broker or another extension has it
     */
    synchronized void take(String method, String id) {
        if (ofBroker.contains(method)) {
            throw new IllegalStateException(
                    "the Authentication Method " + method + " is the broker's own");
        }
        Owner owner = owners.computeIfAbsent(method, unused -> new Owner(id));
        if (!owner.id.equals(id)) {
            throw new IllegalStateException(
                    "the extension " + owner.id + " has the Authentication Method " + method);
        }
        owner.holds++;
    }

    synchronized void release(String method) {
        Owner owner = owners.get(method);
        if (owner != null && --owner.holds == 0) {
            owners.remove(method);
        }
    }
}
