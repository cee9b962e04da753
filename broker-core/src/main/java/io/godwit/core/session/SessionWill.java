package io.godwit.core.session;

import io.godwit.core.ack.Receipt;
import io.godwit.core.id.IngressId;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.Will;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.Recovery.KeptInbound;
import org.jspecify.annotations.Nullable;

/**
 * The will of a session: of its connection or its last one until it is published, and then while
 * not everyone has taken it in. A session has one only while there is something in it.
 */
final class SessionWill {
    private final Session session;
    private @Nullable Will waiting;

    /** Of the one that waits: given when its client connected. */
    private @Nullable IngressId ingress;

    /** What an earlier start has kept of its publishing, at QoS 2. */
    private @Nullable KeptInbound begun;

    /** The last one, while not everyone has taken it in. */
    private @Nullable OwedWill owed;

    SessionWill(Session session) {
        this.session = session;
    }

    boolean isEmpty() {
        return waiting == null && begun == null && owed == null;
    }

    /** The connection's, in place of the one that was not published. */
    void replace(@Nullable Will will, @Nullable IngressId known) {
        waiting = will;
        boolean isNew = will != null && known == null;
        ingress = isNew ? session.context().ids().nextIngress() : known;
    }

    /** At start: it was being published when the broker crashed. */
    void recover(KeptInbound kept) {
        begun = kept;
    }

    /** What a record has to keep. */
    @Nullable Will kept() {
        return owed == null ? waiting : owed.will;
    }

    /** Ingress id of what a record has to keep. */
    @Nullable IngressId keptIngress() {
        return owed == null ? ingress : owed.ingress;
    }

    /** Milliseconds offline after which it is published; {@link Long#MAX_VALUE} when none waits. */
    long delayMs() {
        return waiting == null ? Long.MAX_VALUE : waiting.delaySeconds() * 1000;
    }

    /**
     * @param stored whether the store has a record of the session
     */
    void publish(boolean stored) {
        Will left = waiting;
        waiting = null;
        IngressId as = ingress;
        if (left == null || as == null) {
            return;
        }
        ingress = null;
        KeptInbound again = begun;
        begun = null;
        if (stored && left.qos() > 0) {
            owe(left, as, again);
        } else {
            fire(left, null, as);
        }
    }

    /** Goes on with one that was being published, unless its client was quicker. */
    void publishAgain(boolean stored) {
        KeptInbound again = begun;
        if (again != null && waiting == null) {
            begun = null;
            session.store().removeInbound(again.inbound());
        } else if (again != null) {
            publish(stored);
        }
    }

    private void owe(Will left, IngressId as, @Nullable KeptInbound again) {
        SessionContext context = session.context();
        Inbound kept = again == null ? null : again.inbound();
        if (kept == null && left.qos() == 2) {
            kept = new Inbound(session.queueId(), OwedWill.PACKET_ID, as.server(), as.counter());
            session.store().putInbound(kept);
        }
        OwedWill receipt = new OwedWill(session, left, as, kept);
        receipt.hasIt = again == null ? null : again.hasIt();
        owed = receipt;
        context.owedWills().count(1);
        fire(left, receipt, as);
    }

    private void fire(Will will, @Nullable Receipt receipt, IngressId ingress) {
        SessionContext context = session.context();
        context.shard().counters().increment(Metric.WILLS_PUBLISHED, session.version());
        context.router()
                .publishOwn(
                        WillMessage.of(will, session.clientId(), context.shard().wallMs(), ingress),
                        receipt);
    }

    /** Everyone has it. */
    void taken() {
        owed = null;
    }

    /** Has the task run once nothing is owed: at once, perhaps. */
    void whenTaken(Runnable task) {
        OwedWill running = owed;
        if (running == null) {
            task.run();
        } else {
            running.whenTaken(task);
        }
    }
}
