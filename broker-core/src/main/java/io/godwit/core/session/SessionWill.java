package io.godwit.core.session;

import io.godwit.core.ack.MovedReceipt;
import io.godwit.core.ack.Receipt;
import io.godwit.core.ack.Takers;
import io.godwit.core.id.IngressId;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.Will;
import io.godwit.core.publish.Router;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.KeptWill;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The wills of a session: that of its connection, or of its last one until it is published, and
 * those of earlier connections that not every target has taken in. A session has one of these only
 * while there is something in it.
 *
 * <p>Owed wills of QoS 1 are published at once. Those of QoS 2 are published one after the other,
 * since only one can be under {@link OwedWill#PACKET_ID}.
 */
final class SessionWill {
    private static final int NEVER = -1;

    private final Session session;
    private @Nullable KeptWill waiting;

    /**
     * Tells every node when the will that waits is over: a former leader of the session may have
     * published it, too. Null: there was none.
     */
    private @Nullable Takers waitingTakers;

    /** How a will of QoS 2 was kept that an earlier start had begun to publish; else null. */
    private @Nullable Inbound begun;

    /** The targets that remember the begun will; null for none. */
    private @Nullable Takers begunTakers;

    /**
     * The wills that are due and not taken in by every target, in the order in which they were due.
     */
    private List<OwedWill> owed = List.of();

    /** Publishes the will that waits, if that is not for this node to do; null: it is. */
    private @Nullable WillKeeper keeper;

    /** Whether the will that waits was passed on, and is not settled. */
    private boolean isPassed;

    /** How often the session has left a shard. */
    private int stays;

    /** At which stay the router was asked to say when it is ready, and has not; else NEVER. */
    private int asked = NEVER;

    SessionWill(Session session) {
        this.session = session;
    }

    /**
     * Sets the will that waits, and charges it where the session is now: a move does not change
     * what the node has.
     */
    private void waiting(@Nullable KeptWill next) {
        long before = bytes();
        waiting = next;
        session.context().load().sessionBytes(bytes() - before);
    }

    /**
     * Uncharges the will that waits: the store alone has it from now on.
     *
     * @param remembered takes who remembers wills of which another node says when they are over
     */
    void leaveMemory(Map<IngressId, Takers> remembered) {
        KeptWill last = waiting;
        if (last != null && waitingTakers != null) {
            remembered.put(last.ingress(), waitingTakers);
        }
        if (begun != null && begunTakers != null) {
            remembered.put(ingress(begun), begunTakers);
        }
        waiting(null);
    }

    private long bytes() {
        KeptWill will = waiting;
        return will == null ? 0 : will.will().accountedBytes();
    }

    boolean isEmpty() {
        return waiting == null && begun == null && owed.isEmpty();
    }

    /**
     * Takes the will of a new connection in place of one that was not published.
     *
     * @param by knows who publishes it; null: this node
     */
    void replace(@Nullable Will will, @Nullable WillKeeper by) {
        forgetWaiting();
        keeper = by;
        waiting(will == null ? null : new KeptWill(will, session.context().ids().nextIngress()));
    }

    /** Tells those that may have had the will that waits that it does not come again. */
    private void forgetWaiting() {
        Takers former = waitingTakers;
        if (former != null) {
            waitingTakers = null;
            former.forget(session.context().shard());
        }
    }

    /**
     * Takes up the wills that were kept; called at start.
     *
     * @param due wills that were due when the broker stopped
     */
    void recover(@Nullable KeptWill last, List<KeptWill> due) {
        waiting(last);
        due.forEach(this::owe);
        owed.forEach(each -> each.isAgain = true);
    }

    /** Notes that the will is of a transient session that has ended with an earlier start. */
    void isOfEarlierStart() {
        keeper = session.context().earlierWills();
    }

    /** Takes up that a will was being published when the broker crashed; called at start. */
    void recover(Inbound kept) {
        begun = kept;
    }

    /**
     * The ingress ids of its QoS 2 wills that queues may remember; asked at start, and when it is
     * adopted. The one that waits is among them: a former leader may have published it.
     */
    List<IngressId> mayBeRemembered() {
        List<IngressId> ids = new ArrayList<>();
        owed.forEach(each -> ids.add(each.will.ingress()));
        if (begun != null) {
            ids.add(ingress(begun));
        }
        if (waiting != null && waiting.will().qos() == 2) {
            ids.add(waiting.ingress());
        }
        return ids;
    }

    /** Tells which queues remember a will; called at start, and when the session is adopted. */
    void takenBy(IngressId id, Takers takers) {
        if (waiting != null && waiting.ingress().equals(id)) {
            waitingTakers = takers;
            return;
        }
        for (OwedWill each : owed) {
            if (each.will.ingress().equals(id)) {
                each.takenBy(takers);
                return;
            }
        }
        begunTakers = takers;
    }

    private static IngressId ingress(Inbound kept) {
        return new IngressId(kept.ingressServer, kept.ingressCounter);
    }

    /** The will that is not due yet, or null. */
    @Nullable KeptWill waiting() {
        return waiting;
    }

    /** The wills that are due and not taken in by every target. */
    List<KeptWill> owed() {
        return owed.stream().map(each -> each.will).toList();
    }

    int owedCount() {
        return owed.size();
    }

    /**
     * Milliseconds offline after which the waiting will is published; {@link Long#MAX_VALUE} when
     * none waits.
     */
    long delayMs() {
        return waiting == null ? Long.MAX_VALUE : waiting.will().delaySeconds() * 1000;
    }

    /**
     * Publishes the will that waits, which is due, or passes it on. In that case it waits, and its
     * record stays, until it is settled.
     *
     * @param hasRecord whether the store has a record of the session
     * @param then hears what becomes of one that is passed on
     */
    void publish(boolean hasRecord, WillKeeper.Passed then) {
        KeptWill due = waiting;
        if (due == null || isPassed) {
            return;
        }
        WillKeeper by = begun == null ? keeper : null; // One that was begun here ends here.
        keeper = null;
        if (by != null && by.pass(session.clientId(), due.will(), then)) {
            isPassed = true;
            return;
        }
        publishHere(hasRecord);
    }

    /** Publishes the will that was passed on, and is this node's to publish. */
    void publishPassed(boolean hasRecord) {
        isPassed = false;
        publishHere(hasRecord);
    }

    private void publishHere(boolean hasRecord) {
        KeptWill due = waiting;
        if (due == null) {
            return;
        }
        Takers former = waitingTakers;
        waitingTakers = null;
        waiting(null);
        if (hasRecord && due.will().qos() > 0) {
            owe(due);
            owed.getLast().takenBy(former);
            publishOwed();
        } else {
            fire(due, null);
        }
    }

    /** Drops the will that was passed on: it is settled elsewhere. */
    void settled() {
        isPassed = false;
        forgetWaiting();
        waiting(null);
    }

    /**
     * Goes on with the wills that were owed when the broker stopped. A store of an earlier version
     * has a will as waiting that was being published already.
     */
    void publishAgain() {
        Inbound again = begun;
        if (again != null && firstOfQos2() == null) {
            KeptWill due = waiting;
            if (due != null && due.will().qos() == 2) {
                waiting(null);
                owe(new KeptWill(due.will(), ingress(again)));
            } else {
                begun = null;
                session.store().removeInbound(again);
            }
        }
        publishOwed();
    }

    private void owe(KeptWill due) {
        if (owed.isEmpty()) {
            owed = new ArrayList<>(1);
        }
        owed.add(new OwedWill(session.life(), due));
        session.context().load().sessionBytes(due.will().accountedBytes());
    }

    private void publishOwed() {
        if (session.context().isKeepingWills()) {
            return; // The next start publishes them.
        }
        Router router = session.context().router();
        if (!router.isReady()) {
            publishWhenReady(router);
            return;
        }
        // Everyone may have it at once: then it goes from the list meanwhile.
        for (OwedWill each : List.copyOf(owed)) {
            if (!each.isPublished() && (each.qos == 1 || each == firstOfQos2())) {
                publish(each);
            }
        }
    }

    /**
     * Of some subscribers it is not known yet. Meanwhile the wills wait here, and go with the
     * session: published by the shards where it was when they were due they would come in the order
     * of the shards.
     */
    private void publishWhenReady(Router router) {
        int shard = session.owner();
        int here = stays;
        if (owed.isEmpty() || asked == here) {
            return;
        }
        asked = here;
        router.whenReady(() -> {
            // Read first: who has named this shard the owner has written the other before.
            if (session.owner() == shard && stays == here) {
                asked = NEVER;
                publishOwed();
            }
        });
    }

    /** The session has come to another shard. */
    void arrive() {
        OwedWills here = session.context().owedWills();
        owed.stream().filter(OwedWill::isPublished).forEach(each -> each.isAmong(here));
        publishOwed();
    }

    /** Publishes all wills once more that were published and that not every target has. */
    void publishOwedAgain() {
        for (int i = 0; i < owed.size(); i++) {
            OwedWill each = owed.get(i);
            if (each.isPublished() && !each.isDone()) {
                owed.set(i, each.giveUp());
            }
        }
        publishOwed();
    }

    /** Publishes a will once more that not every target has, in its place among the others. */
    void publishAgain(OwedWill untaken) {
        int at = owed.indexOf(untaken);
        if (at >= 0) {
            owed.set(at, untaken.giveUp());
            publishOwed();
        }
    }

    /** Drops the wills that are due and not published yet: the session is set aside. */
    void dropUnpublished() {
        for (OwedWill each : List.copyOf(owed)) {
            if (!each.isPublished()) {
                owed.remove(each);
                session.context().load().sessionBytes(-each.will.will().accountedBytes());
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
        Inbound kept = due.kept(); // Of one that is published once more.
        Inbound again = begun;
        if (due.qos == 2 && kept == null && again != null) {
            begun = null;
            kept = again;
            due.isAgain = true;
            due.takenBy(begunTakers);
            begunTakers = null;
        } else if (due.qos == 2 && kept == null) {
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
                .publishWill(
                        session,
                        WillMessage.of(
                                due.will(),
                                session.clientId(),
                                context.shard().wallMs(),
                                due.ingress()),
                        receipt);
    }

    /** Called when every target has a will: the next one of QoS 2 may follow. */
    void taken(OwedWill done) {
        if (owed.remove(done)) {
            session.context().load().sessionBytes(-done.will.will().accountedBytes());
        }
        Inbound kept = done.kept();
        if (kept != null) {
            session.store().removeInbound(kept);
        }
        publishOwed();
    }

    /** Moves with the session to another shard; what targets of its wills tell goes after it. */
    void leaveShard(int newOwner) {
        stays++;
        for (int i = 0; i < owed.size(); i++) {
            if (owed.get(i).isPublished()) {
                Receipt there =
                        MovedReceipt.leave(session.context().shard(), newOwner, owed.get(i));
                owed.set(i, (OwedWill) there);
            }
        }
    }
}
