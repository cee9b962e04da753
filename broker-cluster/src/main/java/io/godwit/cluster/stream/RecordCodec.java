package io.godwit.cluster.stream;

import io.godwit.cluster.leadership.Epoch;
import io.godwit.cluster.leadership.SlotRow;
import io.godwit.cluster.leadership.SlotSet;
import io.godwit.cluster.membership.Slots;
import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.message.Message;
import io.godwit.core.message.PassingMessage;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.operation.Ids;
import io.godwit.core.operation.KnownNames;
import io.godwit.core.operation.MessageCodec;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.GroupState;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * Records as bytes.
 *
 * <pre>
 * code 1 | body
 * 1 publish            message with its publisher
 * 2 retained publish   stamp 11 | groups | message with its publisher
 * 3 retained copy      stamp 11 | message with its publisher
 * 4 retained deletion  stamp 11 | topic sized
 * 5 retained digest    high 8 | low 8
 * 6 retained wanted
 * 7 retained end
 * 8 filter changes     count varint | [state 1: 0 none, 1 waiting, 2 online; plus 4 when nobody is
 *                      durable, plus 8 when all have a Maximum Packet Size, and then the largest
 *                      PUBLISH varint | filter sized ...]
 * 9 filters begin
 * 10 filters end
 * 11 filters digest    high 8 | low 8
 * 12 filters wanted
 * 13 over              count varint | ingress id ...
 * 14 remembered        count varint | ingress id ...
 * 15 group publish     sessions 1 | groups | message with its publisher
 * 16 passed on         filter sized | message with its publisher
 * 17 filters asked     question varint
 * 18 filters told      question varint
 * 19 inherited         count varint | ingress id ...
 * 20 ways asked        question varint | server id varint
 * 21 ways told         question varint
 * 22 next publish      message with the topic, the publisher, the server and the upper half of the
 *                      counter of the one before it in the batch (MessageCodec.writeNext)
 * 23 leads             rows (SlotRow)
 * 24 holds             slots (SlotSet)
 * 25 kept              epoch | slots
 *
 * groups: count varint | [filter sized ...]
 * </pre>
 */
final class RecordCodec {
    private static final int NEXT = 22;

    private static final GroupState.Presence[] PRESENCES = GroupState.Presence.values();
    private static final int TRANSIENT = 4;
    private static final int LIMITED = 8;

    private RecordCodec() {}

    static void write(ByteWriter to, StreamRecord record) {
        switch (record) {
            case StreamRecord.Leads leads -> SlotRow.write(to.u8(23), leads.rows());
            case StreamRecord.Holds holds -> SlotSet.write(to.u8(24), holds.slots());
            case StreamRecord.Kept kept -> {
                kept.epoch().write(to.u8(25));
                SlotSet.write(to, kept.slots());
            }
            case StreamRecord.Loaded loaded ->
                    SlotSet.write(
                            to.u8(29)
                                    .varint(loaded.takeover())
                                    .server3(loaded.from())
                                    .varint(loaded.epoch()),
                            loaded.slots());
            case StreamRecord.Enter enter ->
                    SlotSet.write(to.u8(30).varint(enter.takeover()), enter.slots());
            case StreamRecord.Redirected publish -> {
                SlotSet.write(to.u8(31), publish.slots());
                MessageCodec.writeWithPublisher(to, publish.message());
            }
            case StreamRecord.Draining draining -> to.u8(32).u8(draining.isDraining() ? 1 : 0);
            case StreamRecord.SecurityFiles(SecurityDigests digests) ->
                    to.u8(33)
                            .long8(digests.users())
                            .long8(digests.rules())
                            .long8(digests.authorities());
            case StreamRecord.RedirectedEnd any -> to.u8(34);
            case StreamRecord.Publish publish -> write(to, publish.message());
            case StreamRecord.GroupPublish publish -> {
                to.u8(15).u8(publish.sessions() ? 1 : 0);
                filters(to, publish.groups());
                MessageCodec.writeWithPublisher(to, publish.message());
            }
            case StreamRecord.PassedOn publish -> {
                to.u8(16).sized(publish.group().bytes());
                MessageCodec.writeWithPublisher(to, publish.message());
            }
            case StreamRecord.RetainedPublish publish -> {
                to.u8(2);
                Ids.hybrid(to, publish.stamp());
                filters(to, publish.groups());
                MessageCodec.writeWithPublisher(to, publish.message());
            }
            case StreamRecord.RetainedCopy copy -> {
                Message message = copy.message();
                to.u8(message != null ? 3 : 4);
                Ids.hybrid(to, copy.stamp());
                if (message != null) {
                    MessageCodec.writeWithPublisher(to, message);
                } else {
                    to.sized(copy.topic().bytes());
                }
            }
            case StreamRecord.RetainedDigest digest ->
                    to.u8(5).long8(digest.high()).long8(digest.low());
            case StreamRecord.RetainedWanted any -> to.u8(6);
            case StreamRecord.RetainedEnd any -> to.u8(7);
            case StreamRecord.FilterChanges changes -> write(to.u8(8), changes);
            case StreamRecord.FiltersBegin any -> to.u8(9);
            case StreamRecord.FiltersEnd any -> to.u8(10);
            case StreamRecord.FiltersDigest digest ->
                    to.u8(11).long8(digest.high()).long8(digest.low());
            case StreamRecord.FiltersWanted any -> to.u8(12);
            case StreamRecord.FiltersAsked asked -> to.u8(17).varint(asked.question());
            case StreamRecord.FiltersTold told -> to.u8(18).varint(told.question());
            case StreamRecord.AwayFiltersAsked asked -> servers(to.u8(26), asked.members());
            case StreamRecord.AwayFilters away ->
                    filters(to.u8(27).server3(away.member()), away.filters());
            case StreamRecord.AwayFiltersEnd end -> to.u8(28).server3(end.member());
            case StreamRecord.WaysAsked asked ->
                    to.u8(20).varint(asked.question()).varint(asked.to());
            case StreamRecord.WaysTold told -> to.u8(21).varint(told.question());
            case StreamRecord.Over over -> ingressIds(to.u8(13), over.publishes());
            case StreamRecord.Remembered some -> ingressIds(to.u8(14), some.publishes());
            case StreamRecord.Inherited some -> ingressIds(to.u8(19), some.publishes());
        }
    }

    /** Writes a {@link StreamRecord.Publish}, which most are. */
    static void write(ByteWriter to, Message message) {
        to.u8(1);
        MessageCodec.writeWithPublisher(to, message);
    }

    /** Writes the same of a message that is not made. */
    static void write(ByteWriter to, PassingMessage message) {
        to.u8(1);
        MessageCodec.write(to, message);
    }

    /** Writes what follows a message with the same names. */
    static void writeNext(ByteWriter to, Message message) {
        to.u8(NEXT);
        MessageCodec.writeNext(to, message);
    }

    /** Writes the same of a message that is not made. */
    static void writeNext(ByteWriter to, PassingMessage message) {
        to.u8(NEXT);
        MessageCodec.writeNext(to, message);
    }

    private static StreamRecord next(ByteReader from, @Nullable Message before) {
        if (before == null) {
            throw new IndexOutOfBoundsException("no message is before the next");
        }
        return new StreamRecord.Publish(MessageCodec.readNext(from, before));
    }

    private static void filters(ByteWriter to, TopicFilter[] filters) {
        to.varint(filters.length);
        for (TopicFilter each : filters) {
            to.sized(each.bytes());
        }
    }

    private static TopicFilter[] filters(ByteReader from) {
        TopicFilter[] filters = new TopicFilter[from.size()];
        for (int i = 0; i < filters.length; i++) {
            filters[i] = new TopicFilter(from.sized());
        }
        return filters;
    }

    private static void servers(ByteWriter to, int[] servers) {
        to.varint(servers.length);
        for (int each : servers) {
            to.server3(each);
        }
    }

    private static int[] servers(ByteReader from) {
        int[] servers = new int[from.size()];
        for (int i = 0; i < servers.length; i++) {
            servers[i] = from.server3();
        }
        return servers;
    }

    private static void ingressIds(ByteWriter to, IngressId[] ids) {
        to.varint(ids.length);
        for (IngressId each : ids) {
            Ids.ingress(to, each.server(), each.counter());
        }
    }

    private static IngressId[] ingressIds(ByteReader from) {
        IngressId[] ids = new IngressId[from.size()];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = Ids.ingress(from);
        }
        return ids;
    }

    /**
     * @param before the last message of the same batch, whose topic is used again when it is the
     *     same
     * @param names of earlier batches of the stream; null for none
     * @throws IndexOutOfBoundsException when it is no record
     */
    static StreamRecord read(
            ByteReader from, @Nullable Message before, @Nullable KnownNames names) {
        int code = from.u8();
        return switch (code) {
            case 1 -> new StreamRecord.Publish(MessageCodec.read(from, before, names));
            case 2 -> {
                HybridId stamp = Ids.hybrid(from);
                TopicFilter[] groups = filters(from);
                yield new StreamRecord.RetainedPublish(
                        MessageCodec.read(from, before, names), stamp, groups);
            }
            case 3 -> {
                HybridId stamp = Ids.hybrid(from);
                Message message = MessageCodec.read(from, before, names);
                yield new StreamRecord.RetainedCopy(message.topic, stamp, message);
            }
            case 4 -> {
                HybridId stamp = Ids.hybrid(from);
                yield new StreamRecord.RetainedCopy(new Topic(from.sized()), stamp, null);
            }
            case 5 -> new StreamRecord.RetainedDigest(from.long8(), from.long8());
            case 6 -> new StreamRecord.RetainedWanted();
            case 7 -> new StreamRecord.RetainedEnd();
            case 8 -> changes(from);
            case 9 -> new StreamRecord.FiltersBegin();
            case 10 -> new StreamRecord.FiltersEnd();
            case 11 -> new StreamRecord.FiltersDigest(from.long8(), from.long8());
            case 12 -> new StreamRecord.FiltersWanted();
            case 13 -> new StreamRecord.Over(ingressIds(from));
            case 14 -> new StreamRecord.Remembered(ingressIds(from));
            case 15 -> {
                boolean sessions = from.u8() != 0;
                TopicFilter[] groups = filters(from);
                yield new StreamRecord.GroupPublish(
                        MessageCodec.read(from, before, names), sessions, groups);
            }
            case 16 -> {
                TopicFilter group = new TopicFilter(from.sized());
                yield new StreamRecord.PassedOn(MessageCodec.read(from, before, names), group);
            }
            case 17 -> new StreamRecord.FiltersAsked(from.varint());
            case 18 -> new StreamRecord.FiltersTold(from.varint());
            case 19 -> new StreamRecord.Inherited(ingressIds(from));
            case 20 -> new StreamRecord.WaysAsked(from.varint(), from.smallInt());
            case 21 -> new StreamRecord.WaysTold(from.varint());
            case NEXT -> next(from, before);
            case 23 -> new StreamRecord.Leads(SlotRow.read(from, Slots.COUNT));
            case 24 -> new StreamRecord.Holds(SlotSet.read(from, Slots.COUNT));
            case 25 -> {
                Epoch epoch = Epoch.read(from);
                yield new StreamRecord.Kept(SlotSet.read(from, Slots.COUNT), epoch);
            }
            case 26 -> new StreamRecord.AwayFiltersAsked(servers(from));
            case 27 -> new StreamRecord.AwayFilters(from.server3(), filters(from));
            case 28 -> new StreamRecord.AwayFiltersEnd(from.server3());
            case 29 -> {
                int takeover = from.smallInt();
                int former = from.server3();
                long epoch = from.varint();
                yield new StreamRecord.Loaded(
                        takeover, former, epoch, SlotSet.read(from, Slots.COUNT));
            }
            case 30 -> {
                int takeover = from.smallInt();
                yield new StreamRecord.Enter(takeover, SlotSet.read(from, Slots.COUNT));
            }
            case 31 -> {
                BitSet slots = SlotSet.read(from, Slots.COUNT);
                yield new StreamRecord.Redirected(slots, MessageCodec.read(from, before, names));
            }
            case 32 -> new StreamRecord.Draining(from.u8() != 0);
            case 33 ->
                    new StreamRecord.SecurityFiles(
                            new SecurityDigests(from.long8(), from.long8(), from.long8()));
            case 34 -> new StreamRecord.RedirectedEnd();
            default -> throw new IndexOutOfBoundsException("no record has code " + code);
        };
    }

    private static void write(ByteWriter to, StreamRecord.FilterChanges changes) {
        to.varint(changes.filters().length);
        for (int i = 0; i < changes.filters().length; i++) {
            write(to, changes.states()[i]);
            to.sized(changes.filters()[i].bytes());
        }
    }

    private static void write(ByteWriter to, GroupState state) {
        int marks = (state.isTransient() ? TRANSIENT : 0) + (state.isLimited() ? LIMITED : 0);
        to.u8(state.presence().ordinal() + marks);
        if (state.isLimited()) {
            to.varint(state.packetBytesMax());
        }
    }

    private static StreamRecord changes(ByteReader from) {
        int count = from.size();
        TopicFilter[] filters = new TopicFilter[count];
        GroupState[] states = new GroupState[count];
        for (int i = 0; i < count; i++) {
            states[i] = state(from);
            filters[i] = new TopicFilter(from.sized());
        }
        return new StreamRecord.FilterChanges(filters, states);
    }

    private static GroupState state(ByteReader from) {
        int code = from.u8();
        int presence = code & ~(TRANSIENT | LIMITED);
        if (presence >= PRESENCES.length) {
            throw new IndexOutOfBoundsException("no state has code " + code);
        }
        long bytes = (code & LIMITED) == 0 ? Integer.MAX_VALUE : from.varint();
        GroupState read =
                switch (PRESENCES[presence]) {
                    case NONE -> GroupState.NONE;
                    case WAITING -> GroupState.WAITING;
                    case ONLINE -> GroupState.online((int) Math.min(bytes, Integer.MAX_VALUE));
                };
        return read.withDurability((code & TRANSIENT) == 0);
    }

    /** The message in it, if any. */
    static @Nullable Message messageOf(StreamRecord record, @Nullable Message before) {
        return switch (record) {
            case StreamRecord.Publish publish -> publish.message();
            case StreamRecord.RetainedPublish publish -> publish.message();
            case StreamRecord.GroupPublish publish -> publish.message();
            case StreamRecord.PassedOn publish -> publish.message();
            case StreamRecord.Redirected publish -> publish.message();
            default -> before;
        };
    }
}
