package io.godwit.core.session;

import io.godwit.core.ack.Receipt;
import io.godwit.core.id.IngressId;
import io.godwit.core.message.Message;
import io.godwit.core.packet.ClientId;
import io.godwit.core.queue.ClientQueue;
import io.godwit.core.queue.QueueOwner;
import io.godwit.core.settings.Rule;
import io.godwit.core.store.KeptIngress;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The part of a session that knows what may come to it once more: what it has taken lately, and of
 * which QoS 2 messages its queue remembers the ingress ids. A class of its own, and no object,
 * since every session has one.
 */
abstract class RememberingSession extends ArrivingSession implements QueueOwner {
    private final long queueId;

    /** Null while nothing has needed one. */
    @Nullable ClientQueue queue;

    /** Of a session that was given to another node; null for none. */
    private @Nullable OverSince overSince;

    RememberingSession(
            ClientId clientId, long generation, int owner, boolean durable, long queueId) {
        super(clientId, generation, owner, durable);
        this.queueId = queueId;
    }

    @Override
    public final long queueId() {
        return queueId;
    }

    /** What the sessions of its shard have taken lately; null without other nodes. */
    abstract @Nullable TakenLately lately();

    /** Notes that the session has taken a message which another node may hear of later. */
    final void tookLately(Message message, boolean retain, @Nullable Receipt receipt) {
        TakenLately lately = lately();
        if (lately != null && ArrivedMessages.isLive(message, retain, receipt)) {
            lately.add(queueId, message);
        }
    }

    /**
     * What it has taken lately, here or where it was before: it may come again to its next home.
     */
    final List<IngressId> takenLately() {
        TakenLately lately = lately();
        if (lately == null || !rules().holds(Rule.TAKEN_GOES_ALONG)) {
            return List.of();
        }
        Set<IngressId> all = new LinkedHashSet<>(takenSinceItCame());
        all.addAll(lately.of(queueId));
        return all.stream().skip(Math.max(0, all.size() - TakenLately.MAX)).toList();
    }

    /**
     * QoS 2 messages that its queue has, or had, and that may come again to its next home, in the
     * order in which they came. Not those that their publishers have done with and that go along as
     * taken: while the client goes from node to node they would become more and more.
     *
     * @param taken what goes along
     */
    final List<KeptIngress> remembered(List<IngressId> taken) {
        if (queue == null) {
            return List.of();
        }
        Set<IngressId> over = new HashSet<>(toForget());
        if (over.isEmpty()) {
            return queue.remembered();
        }
        over.retainAll(new HashSet<>(taken));
        return queue.remembered().stream().filter(each -> !over.contains(each.ingress())).toList();
    }

    @Override
    public void forgetIngress(int ingressServer, long ingressCounter) {
        if (isAway()) {
            overSince().add(ingressServer, ingressCounter);
        }
        if (!forgetsLater(ingressServer, ingressCounter) && queue != null) {
            queue.forget(ingressServer, ingressCounter);
        }
    }

    /**
     * The same, as it was said where the session was before: of what its queue remembers. What it
     * does not has not come along.
     */
    public final void forgetIngress(Collection<IngressId> some) {
        for (IngressId each : some) {
            if (queue != null && queue.remembers(each.server(), each.counter())) {
                forgetIngress(each.server(), each.counter());
            }
        }
    }

    private OverSince overSince() {
        OverSince made = overSince;
        if (made == null) {
            made = new OverSince(subscribing().load());
            overSince = made;
        }
        return made;
    }

    /** What its next home need not remember: as far as it was said here, and not to that one. */
    public final Set<IngressId> over() {
        Set<IngressId> all = new LinkedHashSet<>(toForget());
        if (overSince != null) {
            all.addAll(overSince.ids());
        }
        return all;
    }

    /** Nobody asks for that any more. */
    final void overNoMore() {
        if (overSince != null) {
            overSince.end();
            overSince = null;
        }
    }
}
