package io.godwit.core.store;

import io.godwit.core.message.Message;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.Will;

/** What was written as it is read from a disk: nothing of the process that wrote it is in it. */
final class FromDisk {
    private FromDisk() {}

    static Message message(Message message) {
        return new Message(
                new Topic(message.topic.bytes()),
                message.payload,
                message.properties,
                message.qos,
                message.retain,
                message.expiresAtMs,
                message.publisher,
                message.ingressServer,
                message.ingressCounter);
    }

    static SessionRecord session(SessionRecord record) {
        KeptWill will = record.will();
        return new SessionRecord(
                record.queueId(),
                record.generation(),
                record.stamp(),
                record.epoch(),
                record.version(),
                record.expirySeconds(),
                record.disconnectedAtMs(),
                will == null ? null : will(will),
                record.owedWills().stream().map(FromDisk::will).toList(),
                record.isAside(),
                record.owner());
    }

    private static KeptWill will(KeptWill kept) {
        Will will = kept.will();
        return new KeptWill(
                new Will(
                        new Topic(will.topic().bytes()),
                        will.qos(),
                        will.retain(),
                        will.payload(),
                        will.delaySeconds(),
                        will.properties()),
                kept.ingress());
    }
}
