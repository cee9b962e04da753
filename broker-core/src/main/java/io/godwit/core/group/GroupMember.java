package io.godwit.core.group;

import io.godwit.core.codec.PublishEncoder;
import io.godwit.core.message.Message;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.queue.PartEntry;
import io.godwit.core.routing.SessionRef;
import io.godwit.core.routing.Subscription;
import io.godwit.core.store.Receiver;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A session in a shared group; fields as {@link SharedGroup} explains them. */
final class GroupMember {
    /** Bytes of a Subscription Identifier in a packet, at most. */
    private static final int ID_BYTES_MAX = 5;

    Subscription subscription;

    /** Names its session in marks; made with the first. */
    private @Nullable Receiver receiver;

    boolean online;

    /** Given to {@link GroupEffects#deliver}: the connection that it was meant for. */
    int attachment;

    /** How many more messages of QoS 1/2 it may have in flight. */
    int credit;

    /** Bytes of the largest packet that it takes. */
    int packetBytesMax = Integer.MAX_VALUE;

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
    int countedLimit = Integer.MAX_VALUE;

    GroupMember(Subscription subscription) {
        this.subscription = subscription;
    }

    SessionRef session() {
        return subscription.session;
    }

    Receiver receiver(GroupEffects effects) {
        Receiver made = receiver;
        if (made == null) {
            made = effects.receiver(session());
            receiver = made;
        }
        return made;
    }

    /** Whether it can get a message now, QoS 0 or one that is sent to it as QoS 0 always. */
    boolean isReady(boolean needsCredit) {
        return online && !leaving && (!needsCredit || subscription.qos == 0 || credit > 0);
    }

    /** Whether it can get this message now. */
    boolean isReady(Message message, boolean needsCredit) {
        return isReady(needsCredit) && takes(message);
    }

    /** Whether its client takes a packet of this size: it has MQTT 5.0 if it limits that. */
    boolean takes(Message message) {
        return packetBytesMax == Integer.MAX_VALUE
                || PublishEncoder.length(
                                ProtocolVersion.MQTT_5,
                                Math.min(message.qos, subscription.qos),
                                message.topic.length(),
                                0,
                                message.expiresAtMs == Message.NEVER ? -1 : 0,
                                subscription.ids,
                                message.properties.length,
                                message.payload.length)
                        <= packetBytesMax;
    }

    /**
     * Bytes of the largest PUBLISH that it takes for certain, without the Subscription Identifiers
     * that it gets: these may make both lengths in the packet a byte longer.
     */
    int publishBytesMax() {
        int ids = subscription.ids.length;
        return ids == 0 || packetBytesMax == Integer.MAX_VALUE
                ? packetBytesMax
                : Math.max(0, packetBytesMax - ids * ID_BYTES_MAX - 2);
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
