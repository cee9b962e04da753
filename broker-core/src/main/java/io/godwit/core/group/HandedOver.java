package io.godwit.core.group;

import io.godwit.core.queue.GroupLink;
import io.godwit.core.queue.PartEntry;
import io.godwit.core.routing.SessionRef;
import io.godwit.core.routing.Subscription;
import io.godwit.core.store.Receiver;
import org.jspecify.annotations.Nullable;

/**
 * The hand-over of one entry to the queue of a durable member, from its mark on. The session's
 * entry has it as its link, by which the group hears that the client is done with it. All but what
 * never changes belongs to the group's thread.
 */
public final class HandedOver implements GroupLink {
    final PartEntry entry;
    private final Receiver to;

    /** How the member has subscribed; null of an earlier start's. */
    private final @Nullable Subscription subscription;

    private final int attachment;

    /** Its place among what is under way. */
    int place;

    /** Whether the member gets credit back for it. */
    boolean countsForCredit;

    /** The member's session; null while it is not known to be at this node. */
    private @Nullable SessionRef session;

    /** Hands over an entry at QoS 2 to a member that is online. */
    HandedOver(PartEntry entry, Receiver to, Subscription subscription, int attachment) {
        this.entry = entry;
        this.to = to;
        this.subscription = subscription;
        this.session = subscription.session;
        this.attachment = attachment;
        this.countsForCredit = true;
    }

    /** Takes up what an earlier start, or another node, was about to hand over. */
    HandedOver(PartEntry entry, Receiver to) {
        this.entry = entry;
        this.to = to;
        this.subscription = null;
        this.attachment = 0;
    }

    public PartEntry entry() {
        return entry;
    }

    /** Returns the session that gets it, by name. */
    public Receiver to() {
        return to;
    }

    /** Returns the connection that it is meant for, by the number that the session has given. */
    public int attachment() {
        return attachment;
    }

    /** Returns how the member has subscribed; not of an earlier start's. */
    public Subscription subscription() {
        Subscription known = subscription;
        if (known == null) {
            throw new IllegalStateException("it is not handed over again");
        }
        return known;
    }

    public @Nullable SessionRef session() {
        return session;
    }

    void session(SessionRef found) {
        session = found;
    }

    @Override
    public boolean staysWithGroup() {
        return false;
    }
}
