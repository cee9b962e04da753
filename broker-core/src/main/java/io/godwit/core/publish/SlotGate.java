package io.godwit.core.publish;

import io.godwit.core.mail.Recipient;
import io.godwit.core.routing.Subscription;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * Decides which sessions of a route get a message while another node takes over slots of a leader
 * that is gone. Never changed; in peace there is none.
 */
public final class SlotGate {
    private final BitSet slots;
    private final boolean isRedirected;

    private SlotGate(BitSet slots, boolean isRedirected) {
        this.slots = slots;
        this.isRedirected = isRedirected;
    }

    /**
     * Lets a message pass to all sessions but durable ones of these slots: their former leader was
     * sent it, too, and it comes once more from there.
     *
     * @return null when there are no such slots
     */
    public static @Nullable SlotGate without(BitSet closed) {
        return closed.isEmpty() ? null : new SlotGate((BitSet) closed.clone(), false);
    }

    /**
     * Lets a message that its source had sent to the former leader pass to durable sessions of some
     * slots alone.
     *
     * @param gate for other messages of the source
     */
    public static SlotGate redirected(BitSet slots, @Nullable SlotGate gate) {
        BitSet open = (BitSet) slots.clone();
        if (gate != null) {
            open.andNot(gate.slots);
        }
        return new SlotGate(open, true);
    }

    /** Whether it is for a message that was sent to a former leader before. */
    boolean isRedirected() {
        return isRedirected;
    }

    /** Whether a session does not get the message. */
    boolean skips(Subscription subscription, Recipient session) {
        if (!session.isAwaited()) {
            return isRedirected; // A transient session is where its client is, whatever its slot.
        }
        boolean isNamed = slots.get(session.clientId().slot());
        return isRedirected ? !isNamed || subscription.qos == 0 : isNamed;
    }
}
