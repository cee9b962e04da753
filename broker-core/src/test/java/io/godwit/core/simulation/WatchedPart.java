package io.godwit.core.simulation;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueueHandle;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.message.Remembered;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.Subscription;
import io.godwit.core.simulation.WatchedStore.Commit;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.Receiver;
import io.godwit.core.store.Recovery;
import io.godwit.core.store.RowRead;
import io.godwit.core.store.SessionRecord;
import io.godwit.core.store.ShardStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One shard's part of a {@link WatchedStore}: writes down what it is told, and passes it on. */
final class WatchedPart implements ShardStore {
    private final ShardStore part;
    private final Watch watch;
    private final Set<QueuedMessage> cancelled;
    private final Consumer<Commit> closed;
    private List<Runnable> operations = new ArrayList<>();
    private List<Consumer<Facts>> facts = new ArrayList<>();
    private List<Integer> wills = new ArrayList<>();

    /**
     * @param cancelled what was taken back before it was written, of all parts of the store
     * @param closed takes a commit before the store does
     */
    WatchedPart(
            ShardStore part, Watch watch, Set<QueuedMessage> cancelled, Consumer<Commit> closed) {
        this.part = part;
        this.watch = watch;
        this.cancelled = cancelled;
        this.closed = closed;
    }

    private void add(Runnable operation) {
        operations.add(operation);
    }

    private void fact(Consumer<Facts> fact) {
        facts.add(fact);
    }

    @Override
    public void putSession(ClientId clientId, SessionRecord session) {
        watch.given(session.queueId(), clientId + " " + session.generation());
        wills.addAll(Watch.willsOf(session));
        add(() -> watch.putSession(clientId, session));
        fact(all -> all.session(clientId, session));
        part.putSession(clientId, session);
    }

    @Override
    public void removeSession(ClientId clientId, long queueId, HybridId stamp) {
        add(() -> watch.removeSession(clientId, queueId));
        fact(all -> all.remove(queueId));
        part.removeSession(clientId, queueId, stamp);
    }

    @Override
    public void putSubscription(long queueId, Subscription subscription, HybridId stamp) {
        add(() -> watch.putSubscription(queueId, subscription.filter));
        Recovery.KeptSubscription kept =
                new Recovery.KeptSubscription(
                        subscription.filter,
                        subscription.qos,
                        subscription.noLocal,
                        subscription.retainAsPublished,
                        subscription.ids);
        fact(all -> all.subscription(queueId, kept));
        part.putSubscription(queueId, subscription, stamp);
    }

    @Override
    public void removeSubscription(long queueId, TopicFilter filter, HybridId stamp) {
        add(() -> watch.removeSubscription(queueId, filter));
        fact(all -> all.removeSubscription(queueId, filter));
        part.removeSubscription(queueId, filter, stamp);
    }

    @Override
    public void putGroup(TopicFilter filter, int number, long queueId) {
        watch.given(queueId, filter + " " + number);
        fact(all -> all.group(filter, number, queueId));
        part.putGroup(filter, number, queueId);
    }

    @Override
    public void removeGroup(TopicFilter filter, long queueId, HybridId stamp) {
        fact(all -> all.remove(queueId));
        part.removeGroup(filter, queueId, stamp);
    }

    @Override
    public void append(QueuedMessage entry) {
        watch.givenMessageId(entry.queueId, entry.messageId);
        watch.given(entry.message);
        long queueId = entry.queueId;
        int number = Payload.number(entry.message.payload);
        boolean isHandedOver = entry.message.ingressCounter < 0;
        watch.note("queue %s: message %s as %s", queueId, number, entry.messageId);
        add(() -> {
            if (!cancelled.contains(entry)) {
                watch.appended(queueId, number);
                if (isHandedOver) {
                    watch.handedOver(queueId, number);
                }
            }
        });
        fact(all -> {
            if (!cancelled.contains(entry)) {
                all.entry(entry);
            }
        });
        part.append(entry);
    }

    @Override
    public void remember(Remembered ingress) {
        fact(all -> all.remember(ingress));
        part.remember(ingress);
    }

    @Override
    public void forget(Remembered ingress) {
        watch.note("queue %s: %s will not come again", ingress.queueId, ingress.clock);
        fact(all -> all.forget(ingress));
        part.forget(ingress);
    }

    @Override
    public void inFlight(QueuedMessage entry) {
        fact(all -> all.inFlight(entry.queueId, entry.messageId));
        part.inFlight(entry);
    }

    @Override
    public void released(QueuedMessage entry) {
        fact(all -> all.inFlight(entry.queueId, entry.messageId));
        part.released(entry);
    }

    @Override
    public void remove(QueuedMessage entry) {
        watch.note("queue %s: %s goes from %s", entry.queueId, entry.messageId, entry.stored());
        if (entry.stored() == QueuedMessage.OPEN) {
            cancelled.add(entry); // It will never have been there.
        } else if (entry.stored() != QueuedMessage.GONE
                && entry.stored() != QueuedMessage.CANCELLED) {
            watch.removalTold(entry.queueId, entry.messageId);
        }
        fact(all -> all.removeEntry(entry.queueId, entry.messageId));
        part.remove(entry);
    }

    @Override
    public void removeRow(long queueId, long messageId, int server) {
        watch.note("queue %s: row %s goes", queueId, messageId);
        fact(all -> all.removeEntry(queueId, messageId));
        part.removeRow(queueId, messageId, server);
    }

    @Override
    public void inFlightTo(QueuedMessage entry, Receiver to) {
        int packetId = entry.packetId;
        watch.note(
                "queue %s: %s in flight as %s to %s",
                entry.queueId, entry.messageId, packetId, to.session().queueId());
        watch.marked(to.session().generation().clock(), Payload.number(entry.message.payload));
        fact(all -> all.inFlightTo(entry.queueId, entry.messageId, packetId, to));
        part.inFlightTo(entry, to);
    }

    @Override
    public void idleAgain(QueuedMessage entry) {
        watch.note("queue %s: %s idle again", entry.queueId, entry.messageId);
        fact(all -> all.idleAgain(entry.queueId, entry.messageId));
        part.idleAgain(entry);
    }

    @Override
    public void putMarker(
            long queueId,
            long messageId,
            int server,
            int packetId,
            int ingressServer,
            long ingressCounter) {
        watch.note("queue %s: has got %s of a group", queueId, messageId);
        fact(all -> all.marker(queueId, messageId));
        part.putMarker(queueId, messageId, server, packetId, ingressServer, ingressCounter);
    }

    @Override
    public void removeMarker(long queueId, long messageId, int server) {
        watch.note("queue %s: marker of %s goes", queueId, messageId);
        fact(all -> all.removeEntry(queueId, messageId));
        part.removeMarker(queueId, messageId, server);
    }

    @Override
    public void putInbound(Inbound inbound) {
        add(() -> watch.putInbound(inbound.queueId, inbound.packetId));
        watch.note("queue %s: QoS 2 %s comes in", inbound.queueId, inbound.packetId);
        fact(all -> all.inbound(inbound, false));
        part.putInbound(inbound);
    }

    @Override
    public void inboundTaken(Inbound inbound) {
        watch.note("queue %s: QoS 2 %s is taken", inbound.queueId, inbound.packetId);
        watch.mark(inbound);
        fact(all -> all.inbound(inbound, true));
        part.inboundTaken(inbound);
    }

    @Override
    public void removeInbound(Inbound inbound) {
        add(() -> watch.removeInbound(inbound.queueId, inbound.packetId));
        watch.note("queue %s: QoS 2 %s is released", inbound.queueId, inbound.packetId);
        fact(all -> all.removeInbound(inbound));
        part.removeInbound(inbound);
    }

    @Override
    public void reserveQueueIds(long ceiling) {
        part.reserveQueueIds(ceiling);
    }

    @Override
    public void putRetained(Message message, HybridId stamp) {
        watch.given(message);
        fact(all -> all.retained(message));
        part.putRetained(message, stamp);
    }

    @Override
    public void removeRetained(Topic topic, HybridId stamp) {
        fact(all -> all.removeRetained(topic));
        part.removeRetained(topic, stamp);
    }

    @Override
    public void read(RowRead read) {
        part.read(new WatchedRead(read, watch));
    }

    @Override
    public long openCommit() {
        return part.openCommit();
    }

    @Override
    public @Nullable QueueHandle handle(long queueId) {
        return part.handle(queueId);
    }

    /** What another node leads is not this one's to watch. */
    @Override
    public void apply(int server, long start, long position, byte[] body) {
        part.apply(server, start, position, body);
    }

    @Override
    public int copySet(ClientId clientId) {
        return part.copySet(clientId);
    }

    @Override
    public long lastCommit(int copySet) {
        return part.lastCommit(copySet);
    }

    @Override
    public boolean isDirty() {
        return part.isDirty();
    }

    @Override
    public void commit() {
        Commit commit = new Commit(part.openCommit(), operations, facts, wills);
        operations = new ArrayList<>();
        facts = new ArrayList<>();
        wills = new ArrayList<>();
        watch.closed(commit);
        closed.accept(commit);
        part.commit();
    }
}
