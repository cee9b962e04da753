package io.godwit.core.ack;

import io.godwit.core.id.IngressId;
import io.godwit.core.message.Message;
import io.godwit.core.packet.ReasonCode;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Publishes that targets with a home elsewhere have not answered for: each is kept under its
 * ingress id and the target's name until the answer comes, so that it can be sent again to another
 * home, in order and before anything newer. A receipt that waits counts each of them once, however
 * often it was sent and answered.
 *
 * <p>Belongs to the publisher's shard. Targets of this node have no name: nothing of theirs is ever
 * sent again.
 */
public final class AckPoints {
    /** Sends a publish to the target's new home. */
    public interface Sender {
        /** Sends the publish with the mark that it may have come before. */
        void sendAgain(Message message, AckTarget target, int home);
    }

    private static final class Waiting {
        final Message message;
        final @Nullable Receipt receipt;

        Waiting(Message message, @Nullable Receipt receipt) {
            this.message = message;
            this.receipt = receipt;
        }
    }

    /** A target, and what it has not answered for, in the order in which it was sent. */
    private static final class OfTarget {
        int home;
        final Map<IngressId, Waiting> waiting = new LinkedHashMap<>();
    }

    private final Map<AckTarget, OfTarget> targets = new LinkedHashMap<>();
    private final Map<Integer, Set<AckTarget>> byHome = new LinkedHashMap<>();
    private long bytes;

    /**
     * Notes that a publish has gone to the home of a target.
     *
     * @param receipt waits for the target; null when nobody does, and the order alone matters
     */
    public void sent(Message message, AckTarget target, int home, @Nullable Receipt receipt) {
        OfTarget of = targets.computeIfAbsent(target, any -> new OfTarget());
        if (of.waiting.isEmpty()) {
            of.home = home;
            byHome.computeIfAbsent(home, any -> new LinkedHashSet<>()).add(target);
        } else if (of.home != home) {
            throw new IllegalStateException(
                    target + " went from " + of.home + " to " + home + ": see moved");
        }
        IngressId id = new IngressId(message.ingressServer, message.ingressCounter);
        if (of.waiting.putIfAbsent(id, new Waiting(message, receipt)) == null) {
            bytes += message.accountedBytes();
            if (receipt != null) {
                receipt.await();
            }
        }
    }

    /**
     * Notes that a target has reached its ack point, or that it cannot.
     *
     * @param taken false when there will be no acknowledgement
     * @return false when nothing waits for it: it was answered before
     */
    public boolean answered(IngressId id, AckTarget target, boolean taken, ReasonCode reason) {
        OfTarget of = targets.get(target);
        Waiting waiting = of == null ? null : of.waiting.remove(id);
        if (of == null || waiting == null) {
            return false;
        }
        bytes -= waiting.message.accountedBytes();
        if (of.waiting.isEmpty()) {
            targets.remove(target);
            leave(of.home, target);
        }
        Receipt receipt = waiting.receipt;
        if (receipt != null) {
            if (reason.isError()) {
                receipt.reason = reason;
            }
            receipt.targetDone(taken);
        }
        return true;
    }

    /** Sends what the target has not answered for to its new home, before all else. */
    public void moved(AckTarget target, int home, Sender to) {
        OfTarget of = targets.get(target);
        if (of == null || of.home == home) {
            return;
        }
        leave(of.home, target);
        of.home = home;
        byHome.computeIfAbsent(home, any -> new LinkedHashSet<>()).add(target);
        of.waiting.values().forEach(each -> to.sendAgain(each.message, target, home));
    }

    /**
     * Forgets a target whose session has ended: nobody waits for it any more.
     *
     * @return how many publishes did
     */
    public int gone(AckTarget target) {
        OfTarget of = targets.remove(target);
        if (of == null) {
            return 0;
        }
        leave(of.home, target);
        int count = of.waiting.size();
        Iterator<Waiting> all = of.waiting.values().iterator();
        while (all.hasNext()) {
            Waiting each = all.next();
            bytes -= each.message.accountedBytes();
            Receipt.done(each.receipt);
        }
        return count;
    }

    private void leave(int home, AckTarget target) {
        Set<AckTarget> there = byHome.get(home);
        if (there != null && there.remove(target) && there.isEmpty()) {
            byHome.remove(home);
        }
    }

    /**
     * The targets with this home that have not answered for something: when that node is lost,
     * their publishes wait.
     */
    public Set<AckTarget> at(int home) {
        return Set.copyOf(byHome.getOrDefault(home, Set.of()));
    }

    /** Whether nothing newer may go to another home than where this target's publishes went. */
    public boolean waitsFor(AckTarget target) {
        return targets.containsKey(target);
    }

    /**
     * The {@link Message#accountedBytes} of all unanswered publishes: whoever reads publishers
     * bounds it.
     */
    public long bytes() {
        return bytes;
    }
}
