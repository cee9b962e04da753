package io.godwit.core.session;

import io.godwit.core.ack.MovedReceipt;
import io.godwit.core.ack.Receipt;
import io.godwit.core.id.IngressId;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.Will;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.KeptWill;
import io.godwit.core.store.Recovery.KeptInbound;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The wills of a session: that of its connection, or of its last one until it is published, and
 * those of earlier connections that not everyone has taken in. A session has one of these only
 * while there is something in it.
 *
 * <p>Owed wills of QoS 1 are published at once. Those of QoS 2 are published one after the other,
 * since only one can be under {@link OwedWill#PACKET_ID}.
 */
final class SessionWill {
    private final Session session;
    private @Nullable KeptWill waiting;

    /** What an earlier start has kept of publishing one, at QoS 2. */
    private @Nullable KeptInbound begun;

    /** In the order in which they were due. */
    private List<OwedWill> owed = List.of();

    SessionWill(Session session) {
        this.session = session;
    }

    boolean isEmpty() {
        return waiting == null && begun == null && owed.isEmpty();
    }

    /** The connection's, in place of the one that was not published. */
    void replace(@Nullable Will will) {
        waiting = will == null ? null : new KeptWill(will, session.context().ids().nextIngress());
    }

    /**
     * At start.
     *
     * @param due when the broker stopped
     */
    void recover(@Nullable KeptWill last, List<KeptWill> due) {
        waiting = last;
        due.forEach(this::owe);
    }

    /** At start: one was being published when the broker crashed. */
    void recover(KeptInbound kept) {
        begun = kept;
    }

    /** The one that is not due. */
    @Nullable KeptWill waiting() {
        return waiting;
    }

    /** Those that are due and not taken in by everyone. */
    List<KeptWill> owed() {
        return owed.stream().map(each -> each.will).toList();
    }

    int owedCount() {
        return owed.size();
    }

    /** Milliseconds offline after which it is published; {@link Long#MAX_VALUE} when none waits. */
    long delayMs() {
        return waiting == null ? Long.MAX_VALUE : waiting.will().delaySeconds() * 1000;
    }

    /**
     * The one that waits is due.
     *
     * @param stored whether the store has a record of the session
     */
    void publish(boolean stored) {
        KeptWill due = waiting;
        waiting = null;
        if (due == null) {
            return;
        }
        if (stored && due.will().qos() > 0) {
            owe(due);
            publishOwed();
        } else {
            fire(due, null);
        }
    }

    /**
     * Goes on with what was owed when the broker stopped. A store of an earlier version has a will
     * as waiting that was being published already.
     */
    void publishAgain() {
        KeptInbound again = begun;
        if (again != null && firstOfQos2() == null) {
            KeptWill due = waiting;
            if (due != null && due.will().qos() == 2) {
                waiting = null;
                owe(due);
            } else {
                begun = null;
                session.store().removeInbound(again.inbound());
                session.context().router().over(again.inbound());
            }
        }
        publishOwed();
    }

    private void owe(KeptWill due) {
        if (owed.isEmpty()) {
            owed = new ArrayList<>(1);
        }
        owed.add(new OwedWill(session.life(), due));
    }

    private void publishOwed() {
        // Everyone may have it at once: then it goes from the list meanwhile.
        for (OwedWill each : List.copyOf(owed)) {
            if (!each.isPublished() && (each.qos == 1 || each == firstOfQos2())) {
                publish(each);
            }
        }
    }

    private @Nullable OwedWill firstOfQos2() {
        for (OwedWill each : owed) {
            if (each.qos == 2) {
                return each;
            }
        }
        return null;
    }

    private void publish(OwedWill due) {
        SessionContext context = session.context();
        Inbound kept = null;
        KeptInbound again = begun;
        if (due.qos == 2 && again != null) {
            begun = null;
            kept = again.inbound();
            due.hasIt = again.hasIt();
            due.isRemembered = true; // By an earlier start, as far as this one knows.
        } else if (due.qos == 2) {
            IngressId ingress = due.will.ingress();
            kept =
                    new Inbound(
                            session.queueId(),
                            OwedWill.PACKET_ID,
                            ingress.server(),
                            ingress.counter());
            session.store().putInbound(kept);
        }
        due.publishedBy(context.owedWills(), kept);
        fire(due.will, due);
    }

    private void fire(KeptWill due, @Nullable Receipt receipt) {
        SessionContext context = session.context();
        context.shard().counters().increment(Metric.WILLS_PUBLISHED, session.version());
        context.router()
                .publishOwn(
                        WillMessage.of(
                                due.will(),
                                session.clientId(),
                                context.shard().wallMs(),
                                due.ingress()),
                        receipt);
    }

    /** Everyone has it: the next one of QoS 2 may follow. */
    void taken(OwedWill done) {
        owed.remove(done);
        Inbound kept = done.kept();
        if (kept != null) {
            session.store().removeInbound(kept);
            if (done.isRemembered) {
                session.context().router().over(kept);
            }
        }
        publishOwed();
    }

    /** The session goes to another shard; what its targets tell goes after it. */
    void leaveShard(int newOwner) {
        for (int i = 0; i < owed.size(); i++) {
            if (owed.get(i).isPublished()) {
                Receipt there =
                        MovedReceipt.leave(session.context().shard(), newOwner, owed.get(i));
                owed.set(i, (OwedWill) there);
            }
        }
    }
}
