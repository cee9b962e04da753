package io.godwit.core.takeover;

import io.godwit.core.ack.Receipt;
import io.godwit.core.id.IngressId;
import io.godwit.core.load.ShardLoad;
import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ClientId;
import io.godwit.core.shard.Shard;
import io.godwit.core.time.Timer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Messages that a former home has sent after a session and that have come before it: header and
 * messages take different ways. They wait for it here, in order, as long as the claim is under way
 * that the session is to come for; they count as queued.
 *
 * <p>Whatever is not kept, or given up, is not answered either: its sender has it until the session
 * has another grant, or there is a new link. What nobody waits for is dropped.
 */
final class EarlyMessages {
    /** Whether the claim still waits is looked at so often. */
    private static final long LOOK_MS = 10_000;

    private final Shard shard;
    private final ShardLoad load;
    private final Function<ClientId, @Nullable Token> asked;
    private final Map<ClientId, Waiting> waiting = new HashMap<>(0);

    /** A message, with everyone who waits for it to be taken in. */
    private static final class Early {
        final Forwarded what;
        private final List<Receipt> receipts = new ArrayList<>(1);

        Early(Forwarded what) {
            this.what = what;
        }

        void add(@Nullable Receipt receipt) {
            if (receipt != null) {
                receipts.add(receipt);
            }
        }

        /** The session recognises what it takes for the second time, and answers it, too. */
        void passTo(Taker taker) {
            taker.take(what, receipts.isEmpty() ? null : receipts.getFirst());
            receipts.stream().skip(1).forEach(receipt -> taker.take(what, receipt));
        }
    }

    /** Takes what waits. */
    interface Taker {
        void take(Forwarded what, @Nullable Receipt receipt);
    }

    /**
     * @param load told what waits
     * @param asked the claim of a client id that other nodes are asked for; null when there is none
     */
    EarlyMessages(Shard shard, ShardLoad load, Function<ClientId, @Nullable Token> asked) {
        this.shard = shard;
        this.load = load;
        this.asked = asked;
    }

    /**
     * @param changes number of the grant for which the session is to come. What waits for a lower
     *     one goes: it never arrived for that, and what was sent after it is sent again for this
     */
    void add(long changes, Forwarded what, @Nullable Receipt receipt) {
        Token claim = asked.apply(what.clientId());
        Waiting of = waiting.get(what.clientId());
        if (of != null && (of.changes < changes || !of.claim.equals(claim))) {
            of.giveUp();
            of = null;
        }
        if (of == null && claim != null) {
            of = new Waiting(what.clientId(), changes, claim);
        }
        if (of != null && of.changes == changes && of.mayAdd(what.message(), receipt)) {
            of.add(what, receipt);
        } else {
            boolean isLost = of != null && receipt == null;
            shard.counters()
                    .increment(isLost ? Metric.DROPPED_QUEUE_FULL : Metric.FORWARDS_GIVEN_UP);
        }
    }

    /** The session of that grant has come: takes out what waits for it. */
    void take(ClientId clientId, long changes, Taker to) {
        Waiting of = waiting.get(clientId);
        if (of == null || of.changes > changes) {
            return;
        }
        if (of.changes < changes) {
            of.giveUp();
            return;
        }
        of.leave();
        of.messages.values().forEach(each -> each.passTo(to));
    }

    /** What waits for the session of one grant. */
    private final class Waiting extends Timer {
        private final ClientId clientId;
        private final long changes;
        private final Token claim;

        /**
         * One that comes again, over a new link or from another former home of the session, is not
         * kept twice; who sent it is answered each time.
         */
        private final Map<IngressId, Early> messages = new LinkedHashMap<>();

        private long bytes;

        Waiting(ClientId clientId, long changes, Token claim) {
            this.clientId = clientId;
            this.changes = changes;
            this.claim = claim;
            waiting.put(clientId, this);
            shard.timers().arm(this, shard.nowMs() + LOOK_MS);
        }

        /**
         * Its sender has no more than {@link Forwarded#UNANSWERED_MAX} under way of those that it
         * waits for: there is always room for them beside as many others.
         */
        boolean mayAdd(Message message, @Nullable Receipt receipt) {
            int parts = receipt == null ? 1 : 2;
            return messages.containsKey(id(message))
                    || messages.size() < parts * Forwarded.UNANSWERED_MAX
                            && bytes < parts * Forwarded.UNANSWERED_BYTES_MAX;
        }

        void add(Forwarded what, @Nullable Receipt receipt) {
            Message message = what.message();
            Early early = messages.get(id(message));
            if (early == null) {
                early = new Early(what);
                messages.put(id(message), early);
                bytes += message.accountedBytes();
                load.queues().queued(message.accountedBytes(), 1);
            }
            early.add(receipt);
        }

        private IngressId id(Message message) {
            return new IngressId(message.ingressServer, message.ingressCounter);
        }

        void leave() {
            shard.timers().cancel(this);
            waiting.remove(clientId);
            load.queues().queued(-bytes, -messages.size());
        }

        void giveUp() {
            leave();
            shard.counters().add(Metric.FORWARDS_GIVEN_UP, null, messages.size());
        }

        @Override
        protected void onTimer(long nowMs) {
            if (Objects.equals(asked.apply(clientId), claim)) {
                shard.timers().arm(this, nowMs + LOOK_MS);
            } else {
                giveUp();
            }
        }
    }
}
