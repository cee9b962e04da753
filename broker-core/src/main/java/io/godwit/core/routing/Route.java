package io.godwit.core.routing;

/**
 * Whom a topic goes to at one version of the index: each session once (highest QoS, all
 * Subscription Identifiers), each shared-subscription group once. Immutable; a publisher keeps the
 * one of its last topic for as long as {@link #version} is the index's.
 *
 * <p>When one filter matches, {@code subscriptions} is the array of the index itself: an entry
 * below {@code count} may become null (unsubscribed), or the same session's newer subscription, at
 * any time, and nothing else.
 *
 * @param version of the index; the route has at least all changes up to it
 * @param subscriptions the first {@code count} entries; an entry may be null
 * @param groups shared-subscription groups whose filter matches
 */
public record Route(
        long version, Subscription[] subscriptions, int count, SharedGroupRef[] groups) {
    public static final SharedGroupRef[] NO_GROUPS = new SharedGroupRef[0];
    static final Subscription[] NO_SUBSCRIPTIONS = new Subscription[0];

    public boolean isEmpty() {
        return count == 0 && groups.length == 0;
    }
}
