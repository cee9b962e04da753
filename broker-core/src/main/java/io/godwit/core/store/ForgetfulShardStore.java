package io.godwit.core.store;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.message.Remembered;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.Subscription;

/**
 * A shard's part of a store that remembers no operation: it knows whether there is one in the open
 * commit, and numbers the commits. It has no rows.
 */
public abstract class ForgetfulShardStore implements ShardStore {
    private long open = 1;
    private boolean dirty;

    /** Called when the open commit was closed: its outcome is to be told. */
    protected abstract void closed(long commit);

    /** Notes that there is something in the open commit. */
    protected final void told() {
        dirty = true;
    }

    @Override
    public void putSession(ClientId clientId, SessionRecord session) {
        told();
    }

    @Override
    public void removeSession(ClientId clientId, long queueId, HybridId stamp) {
        told();
    }

    @Override
    public void putSubscription(long queueId, Subscription subscription, HybridId stamp) {
        told();
    }

    @Override
    public void removeSubscription(long queueId, TopicFilter filter, HybridId stamp) {
        told();
    }

    @Override
    public void putGroup(TopicFilter filter, int part, long queueId) {
        told();
    }

    @Override
    public void removeGroup(TopicFilter filter, long queueId, HybridId stamp) {
        told();
    }

    @Override
    public void append(QueuedMessage entry) {
        told();
    }

    @Override
    public void remember(Remembered ingress) {}

    @Override
    public void forget(Remembered ingress) {}

    @Override
    public void inFlight(QueuedMessage entry) {
        told();
    }

    @Override
    public void released(QueuedMessage entry) {
        told();
    }

    @Override
    public void remove(QueuedMessage entry) {
        told();
    }

    @Override
    public void removeRow(long queueId, long messageId, int server) {
        throw new IllegalStateException("this store has no rows");
    }

    @Override
    public void inFlightTo(QueuedMessage entry, Receiver to) {
        told();
    }

    @Override
    public void idleAgain(QueuedMessage entry) {
        told();
    }

    @Override
    public void putMarker(
            long queueId,
            long messageId,
            int server,
            int packetId,
            int ingressServer,
            long ingressCounter) {
        told();
    }

    @Override
    public void removeMarker(long queueId, long messageId, int server) {
        told();
    }

    @Override
    public void putInbound(Inbound inbound) {
        told();
    }

    @Override
    public void inboundTaken(Inbound inbound) {
        told();
    }

    @Override
    public void removeInbound(Inbound inbound) {
        told();
    }

    @Override
    public void reserveQueueIds(long ceiling) {
        told();
    }

    @Override
    public void putRetained(Message message, HybridId stamp) {
        told();
    }

    @Override
    public void removeRetained(Topic topic, HybridId stamp) {
        told();
    }

    @Override
    public void read(RowRead read) {
        throw new IllegalStateException("this store has no rows");
    }

    @Override
    public final long openCommit() {
        return open;
    }

    @Override
    public final boolean isDirty() {
        return dirty;
    }

    @Override
    public final void commit() {
        dirty = false;
        closed(open++);
    }
}
