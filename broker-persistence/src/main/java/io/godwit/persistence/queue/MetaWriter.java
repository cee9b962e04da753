package io.godwit.persistence.queue;

import io.godwit.core.message.Message;
import io.godwit.core.packet.Topic;
import io.godwit.persistence.codec.ByteWriter;
import io.godwit.persistence.codec.GroupCodec;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.codec.MessageCodec;
import io.godwit.persistence.codec.SessionCodec;
import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.journal.Subject;
import io.godwit.persistence.journal.SubscriptionOptions;

/**
 * Sessions, subscriptions, groups and retained messages as records.
 *
 * <pre>
 * 'S' client id sized | session
 * 'B' options 1 | ids
 * 'G' part, filter
 * RETAINED: message
 * </pre>
 */
final class MetaWriter {
    private static final byte[] NOTHING = new byte[0];

    private final ByteWriter value = new ByteWriter(256);

    void session(Batch batch, Subject.SessionPut put) {
        value.clear();
        value.sized(put.clientId().bytes());
        SessionCodec.write(value, put.session());
        put(batch, Family.META, Keys.meta('S', put.session().queueId()));
    }

    void subscription(Batch batch, Subject.SubscriptionPut put) {
        value.clear();
        value.u8(SubscriptionOptions.of(put)).ints(put.ids());
        put(batch, Family.META, Keys.subscription(put.queueId(), put.filter().bytes()));
    }

    void subscriptionGone(Batch batch, Subject.SubscriptionGone gone) {
        batch.delete(Family.META, Keys.subscription(gone.queueId(), gone.filter().bytes()));
    }

    void group(Batch batch, Subject.GroupPut put) {
        batch.put(
                Family.META,
                Keys.meta('G', put.queueId()),
                GroupCodec.write(put.filter(), put.part()));
    }

    /** The session or group is gone; the record of it makes a restart go on with its rows. */
    void queueGone(Batch batch, long queueId) {
        batch.delete(Family.META, Keys.meta('S', queueId));
        batch.delete(Family.META, Keys.meta('G', queueId));
        batch.put(Family.META, Keys.meta('P', queueId), NOTHING);
    }

    void retained(Batch batch, Message message) {
        value.clear();
        MessageCodec.write(value, message);
        put(batch, Family.RETAINED, message.topic.bytes());
    }

    void retainedGone(Batch batch, Topic topic) {
        batch.delete(Family.RETAINED, topic.bytes());
    }

    private void put(Batch batch, Family family, byte[] key) {
        batch.put(family, key, key.length, value.array(), 0, value.length());
    }
}
