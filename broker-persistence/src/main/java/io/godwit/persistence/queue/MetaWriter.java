package io.godwit.persistence.queue;

import io.godwit.core.operation.ByteWriter;
import io.godwit.core.operation.Subject;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.codec.StoredRetained;
import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.Family;

/**
 * Writes sessions, subscriptions, groups (see {@link MetaRecords}) and retained messages.
 *
 * <pre>
 * 'T' start number varint | position varint
 * RETAINED: stamp 11 | message with its publisher
 * </pre>
 */
final class MetaWriter {
    private static final byte[] NOTHING = new byte[0];

    private final ByteWriter value = new ByteWriter(256);

    void session(Batch batch, Subject.SessionPut put) {
        value.clear();
        MetaRecords.write(value, put);
        put(batch, Family.META, Keys.meta('S', put.session().queueId()));
    }

    void subscription(Batch batch, Subject.SubscriptionPut put) {
        value.clear();
        MetaRecords.write(value, put);
        put(batch, Family.META, Keys.subscription(put.queueId(), put.filter().bytes()));
    }

    void subscriptionGone(Batch batch, Subject.SubscriptionGone gone) {
        batch.delete(Family.META, Keys.subscription(gone.queueId(), gone.filter().bytes()));
    }

    void group(Batch batch, Subject.GroupPut put) {
        value.clear();
        MetaRecords.write(value, put);
        put(batch, Family.META, Keys.meta('G', put.queueId()));
    }

    /** The session or group is gone; the record of it makes a restart go on with its rows. */
    void queueGone(Batch batch, long queueId) {
        batch.delete(Family.META, Keys.meta('S', queueId));
        batch.delete(Family.META, Keys.meta('G', queueId));
        batch.put(Family.META, Keys.meta('P', queueId), NOTHING);
    }

    void retained(Batch batch, Subject.RetainedPut put) {
        value.clear();
        StoredRetained.write(value, put.stamp(), put.message());
        put(batch, Family.RETAINED, put.message().topic.bytes());
    }

    void queueIds(Batch batch, long ceiling) {
        value.clear();
        value.varint(ceiling);
        put(batch, Family.META, Keys.QUEUE_IDS);
    }

    void stream(Batch batch, Subject.StreamAt at) {
        value.clear();
        value.varint(at.start()).varint(at.position());
        put(batch, Family.META, Keys.stream(at.server()));
    }

    private void put(Batch batch, Family family, byte[] key) {
        batch.put(family, key, key.length, value.array(), 0, value.length());
    }
}
