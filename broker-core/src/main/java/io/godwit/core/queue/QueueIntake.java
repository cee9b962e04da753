package io.godwit.core.queue;

import io.godwit.core.ack.Receipt;
import io.godwit.core.message.Message;
import io.godwit.core.settings.Rule;
import org.jspecify.annotations.Nullable;

/**
 * What comes into a client's queue: recognised as one that it has, refused by its limits, sent at
 * once when nothing goes before it, or let wait; of a durable session told to the store first.
 */
public final class QueueIntake {
    private final DurableQueue queue;
    private final QueueOwner owner;
    private final Delivery delivery;

    QueueIntake(DurableQueue queue, QueueOwner owner, Delivery delivery) {
        this.queue = queue;
        this.owner = owner;
        this.delivery = delivery;
    }

    /**
     * Takes a message in: the ack point of a transient session, the append of a durable one.
     *
     * @param qos at which it goes out: the lower of the message's and the subscription's
     * @param waiting for the ack point of this target, which it has been told to expect; null when
     *     nobody is
     * @param source the group that has given it to this client, within its credit; null for none
     */
    public void add(
            Message message,
            int qos,
            boolean retain,
            int[] ids,
            @Nullable Receipt waiting,
            @Nullable GroupLink source) {
        boolean durable = owner.isDurable() && (source == null || !source.staysWithGroup());
        if (durable && queue.recognises(message, waiting)) {
            return;
        }
        Outlet to = owner.outlet();
        boolean goesAtOnce = to != null && queue.isEmpty() && delivery.isCaughtUp(to);
        if (!goesAtOnce && source == null && !queue.limits.admits(message)) {
            queue.limits.refuse(message, waiting);
            return;
        }
        QueueEntry entry =
                new QueueEntry(
                        queue.queueId(), queue.nextMessageId(), message, qos, retain, ids, source);
        if (durable) {
            append(entry, message, waiting);
            // At QoS 2 it leaves when its packet id is kept: with it, or, when others are before
            // it, later; then it gets none before it is kept itself.
            entry.mayLeave = qos < 2 || goesAtOnce;
        } else {
            Receipt.done(waiting);
        }
        if (goesAtOnce && to != null) {
            delivery.send(to, entry, message);
        } else {
            queue.backlog.add(entry);
            if (queue.limits.trim()) {
                delivery.goOn(); // The oldest may have waited for the store; the next may not.
            }
            if (!durable && source == null && queue.limits.isAbove(ClientQueue.BEHIND_SIXTEENTHS)) {
                owner.onBehind();
            }
        }
        if (durable) {
            queue.awaitAppend(entry);
        }
    }

    private boolean waits(Receipt waiting) {
        Rule rule = waiting.qos == 2 ? Rule.PUBREC_WAITS : Rule.PUBACK_WAITS;
        return waiting.connection == null || queue.shard().rules.holds(rule);
    }

    private void append(QueueEntry entry, Message message, @Nullable Receipt waiting) {
        if (waiting != null && !waits(waiting)) {
            waiting.targetDone(true);
        } else {
            entry.waiting = waiting;
        }
        entry.kept = true;
        queue.kept().append(entry);
        if (waiting != null) {
            queue.remember(entry, message, waiting);
        }
    }
}
