package io.godwit.core.group;

import io.godwit.core.queue.PartEntry;
import io.godwit.core.routing.SessionRef;
import io.godwit.core.routing.Subscription;
import java.util.ArrayList;
import java.util.List;

/** A session in a shared group; fields as {@link SharedGroup} explains them. */
final class GroupMember {
    Subscription subscription;
    boolean online;

    /** Given to {@link GroupEffects#deliver}: the connection that it was meant for. */
    int attachment;

    /** How many more messages of QoS 1/2 it may have in flight. */
    int credit;

    /** Unsubscribed, but with messages in flight, whose delivery is completed [MQTT-3.10.4-3]. */
    boolean leaving;

    /** In no order; each entry knows its place. */
    private final ArrayList<PartEntry> inFlight = new ArrayList<>(0);

    // what GroupCounts has of it
    boolean countedSubscribed;
    boolean countedOnline;
    boolean countedReady;
    boolean countedDurable;
    boolean countedKeeping;

    GroupMember(Subscription subscription) {
        this.subscription = subscription;
    }

    SessionRef session() {
        return subscription.session;
    }

    /** Whether it can get a message now, QoS 0 or one that is sent to it as QoS 0 always. */
    boolean isReady(boolean needsCredit) {
        return online && !leaving && (!needsCredit || subscription.qos == 0 || credit > 0);
    }

    int inFlight() {
        return inFlight.size();
    }

    List<PartEntry> inFlightEntries() {
        return List.copyOf(inFlight);
    }

    void add(PartEntry entry) {
        entry.holder = this;
        entry.place = inFlight.size();
        inFlight.add(entry);
    }

    void remove(PartEntry entry) {
        PartEntry last = inFlight.removeLast();
        if (last != entry) {
            inFlight.set(entry.place, last);
            last.place = entry.place;
        }
        entry.holder = null;
    }
}
