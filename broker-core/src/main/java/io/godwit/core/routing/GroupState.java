package io.godwit.core.routing;

/**
 * Describes the subscribers that a node has for one filter, as the other nodes are told. For a
 * filter that is not shared it is {@link #ONLINE} or {@link #TRANSIENT_ONLINE} while a session has
 * it; for one of a shared group it tells whether members are online.
 *
 * @param presence whether it has members, and whether one is online
 * @param isTransient whether each member ends with its node: nothing waits for it there
 * @param packetBytesMax bytes of the largest PUBLISH that a member that is online takes, without
 *     Subscription Identifiers; {@code Integer.MAX_VALUE} when one takes all, or none is online
 */
public record GroupState(Presence presence, boolean isTransient, int packetBytesMax) {
    /** No member. */
    public static final GroupState NONE = unlimited(Presence.NONE, false);

    /** Members, and none of them is online: messages wait there, if there is nowhere better. */
    public static final GroupState WAITING = unlimited(Presence.WAITING, false);

    /** A member that is online, and takes packets of any size. */
    public static final GroupState ONLINE = unlimited(Presence.ONLINE, false);

    /** Members, none of them online, and none durable. */
    public static final GroupState TRANSIENT_WAITING = unlimited(Presence.WAITING, true);

    /** A member that is online, and none that is durable. */
    public static final GroupState TRANSIENT_ONLINE = unlimited(Presence.ONLINE, true);

    /** Whether a node has members. */
    public enum Presence {
        NONE,
        WAITING,
        ONLINE
    }

    private static GroupState unlimited(Presence presence, boolean isTransient) {
        return new GroupState(presence, isTransient, Integer.MAX_VALUE);
    }

    /** A member that is online; no member takes larger packets than these. */
    public static GroupState online(int packetBytesMax) {
        return packetBytesMax == Integer.MAX_VALUE
                ? ONLINE
                : new GroupState(Presence.ONLINE, false, packetBytesMax);
    }

    public boolean isNone() {
        return presence == Presence.NONE;
    }

    /** Whether a member is online. */
    public boolean isOnline() {
        return presence == Presence.ONLINE;
    }

    /** Whether there are members, and none is online. */
    public boolean isWaiting() {
        return presence == Presence.WAITING;
    }

    /** Whether all members that are online limit the size of packets. */
    public boolean isLimited() {
        return packetBytesMax < Integer.MAX_VALUE;
    }

    @Override
    public String toString() {
        String limit = isLimited() ? " up to " + packetBytesMax + " bytes" : "";
        return (isTransient ? "TRANSIENT_" : "") + presence + limit;
    }

    /** The state with members of which one is durable, or none is. */
    public GroupState withDurability(boolean durable) {
        return switch (presence) {
            case NONE -> NONE;
            case WAITING -> durable ? WAITING : TRANSIENT_WAITING;
            case ONLINE -> {
                if (isLimited()) {
                    yield new GroupState(presence, !durable, packetBytesMax);
                }
                yield durable ? ONLINE : TRANSIENT_ONLINE;
            }
        };
    }
}
