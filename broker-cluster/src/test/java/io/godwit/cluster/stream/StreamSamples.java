package io.godwit.cluster.stream;

import io.godwit.cluster.leadership.Epoch;
import io.godwit.cluster.leadership.SlotRow;
import io.godwit.cluster.transport.Outgoing;
import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.message.Message;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.GroupState;
import java.util.BitSet;
import java.util.List;

/** One of each that streams are made of, and one too large for a frame. */
public final class StreamSamples {
    private static final int LARGE_BYTES = 100_000;

    private static final Message MESSAGE =
            new Message(
                    Topic.of("a/b"),
                    new byte[] {1, 2, 3},
                    PublishFrame.NO_PROPERTIES,
                    2,
                    true,
                    99,
                    ClientId.of("c"),
                    3,
                    1L << 46 | 5);

    private static final TopicFilter[] GROUPS = {
        TopicFilter.of("$share/g/a/#"), TopicFilter.of("$share/h/+")
    };

    static final StreamRecord TRANSIENT_FILTERS =
            new StreamRecord.FilterChanges(
                    new TopicFilter[] {TopicFilter.of("a/#"), GROUPS[0]},
                    new GroupState[] {GroupState.TRANSIENT_ONLINE, GroupState.TRANSIENT_WAITING});

    /** A node of before version 10 is told that they take packets of any size. */
    static final StreamRecord LIMITED_FILTERS =
            new StreamRecord.FilterChanges(
                    new TopicFilter[] {GROUPS[0], GROUPS[0]},
                    new GroupState[] {
                        GroupState.online(1_000), GroupState.online(7).withDurability(false)
                    });

    /** A node of before version 11 is told nothing by them. */
    static final List<StreamRecord> LEADERS =
            List.of(
                    new StreamRecord.Leads(
                            List.of(
                                    new SlotRow(new Epoch(1, 2, 3), slots(0, 1_365)),
                                    new SlotRow(
                                            new Epoch(300, 2, 0xFF_FFFF, 200, 0xFF_FFFE),
                                            slots(4_095, 4_096)))),
                    new StreamRecord.Holds(slots(0, 0)),
                    new StreamRecord.Holds(slots(77, 79)),
                    new StreamRecord.Kept(slots(77, 78), new Epoch(2, 5, 1)));

    static final List<StreamRecord> TAKEOVERS =
            List.of(
                    new StreamRecord.Loaded(300, 0xFF_FFFF, 1L << 40, slots(0, 1_365)),
                    new StreamRecord.Enter(0, slots(7, 8)),
                    new StreamRecord.Enter(300, slots(4_000, 4_096)),
                    new StreamRecord.Redirected(slots(7, 8), MESSAGE),
                    new StreamRecord.Redirected(slots(7, 9), MESSAGE),
                    new StreamRecord.Draining(true),
                    new StreamRecord.Draining(false),
                    new StreamRecord.SecurityFiles(new SecurityDigests(1, -2, 1L << 62)),
                    new StreamRecord.RedirectedEnd());

    private StreamSamples() {}

    private static BitSet slots(int from, int to) {
        BitSet slots = new BitSet();
        slots.set(from, to);
        return slots;
    }

    /** As a node sends them. */
    public static List<Outgoing> messages() {
        return List.of(
                new StreamOpen(2, 300),
                batch(2, records()),
                new StreamOpen(StreamName.SHARED, 0),
                batch(StreamName.SHARED, records()),
                new Answers(
                        2,
                        400,
                        new long[] {402, 500},
                        new byte[] {0, (byte) 0x97},
                        Answers.NONE,
                        Answers.NONE),
                batch(2, List.of(new StreamRecord.Publish(large()))),
                following(),
                batch(StreamName.SHARED, List.of(TRANSIENT_FILTERS, LIMITED_FILTERS)),
                batch(StreamName.SHARED, LEADERS),
                new StreamOpen(1, 300, slots(0, 0), slots(5, 6)),
                new StreamOpen(1, 300, slots(0, 1_365), slots(5, 700)),
                batch(1, TAKEOVERS),
                new Answers(
                        1,
                        7,
                        Answers.NONE,
                        new byte[0],
                        Answers.NONE,
                        Answers.NONE,
                        List.of(new Answers.GivenBack(300, 5, GROUPS[0]))));
    }

    /** Some that are written at once, of which all but the first are without their names. */
    private static LeavingBatch following() {
        OutEntries kept = new OutEntries(new SpareChunks(() -> 0, change -> {}));
        for (int i = 1; i <= 3; i++) {
            Message small =
                    new Message(
                            MESSAGE.topic,
                            new byte[] {(byte) i},
                            i == 2 ? new byte[] {1, 1} : PublishFrame.NO_PROPERTIES,
                            i & 1,
                            false,
                            i == 3 ? 99 : Message.NEVER,
                            MESSAGE.publisher,
                            3,
                            1L << 46 | i + 6);
            kept.add(new StreamRecord.Publish(small), null, false);
        }
        LeavingBatch batch = new LeavingBatch(2, 0, 0);
        kept.leave(1, batch);
        return batch;
    }

    /** Every record but for the first is sent again. */
    private static LeavingBatch batch(int stream, List<StreamRecord> records) {
        LeavingBatch batch = new LeavingBatch(stream, 299, 300);
        for (int i = 0; i < records.size(); i++) {
            batch.add(301 + i * 200L, i > 0, records.get(i), records.get(i).bytes());
        }
        return batch;
    }

    private static Message large() {
        byte[] payload = new byte[LARGE_BYTES];
        for (int i = 0; i < payload.length; i++) {
            payload[i] = (byte) (i / 1_000);
        }
        return new Message(
                Topic.of("large"),
                payload,
                PublishFrame.NO_PROPERTIES,
                1,
                false,
                Message.NEVER,
                null,
                3,
                1L << 46 | 6);
    }

    static List<StreamRecord> records() {
        HybridId stamp = new HybridId(77, 3);
        return List.of(
                new StreamRecord.Publish(MESSAGE),
                new StreamRecord.GroupPublish(MESSAGE, true, GROUPS),
                new StreamRecord.GroupPublish(MESSAGE, false, GROUPS),
                new StreamRecord.PassedOn(MESSAGE, GROUPS[0]),
                new StreamRecord.RetainedPublish(MESSAGE, stamp, GROUPS),
                new StreamRecord.RetainedPublish(MESSAGE, stamp, new TopicFilter[0]),
                new StreamRecord.RetainedCopy(MESSAGE.topic, stamp, MESSAGE),
                new StreamRecord.RetainedCopy(MESSAGE.topic, stamp, null),
                new StreamRecord.RetainedDigest(5, -6),
                new StreamRecord.RetainedWanted(),
                new StreamRecord.RetainedEnd(),
                new StreamRecord.FilterChanges(
                        new TopicFilter[] {TopicFilter.of("a/#"), TopicFilter.of("+"), GROUPS[0]},
                        new GroupState[] {GroupState.ONLINE, GroupState.NONE, GroupState.WAITING}),
                new StreamRecord.FiltersBegin(),
                new StreamRecord.FiltersEnd(),
                new StreamRecord.FiltersDigest(-1, 8),
                new StreamRecord.FiltersWanted(),
                new StreamRecord.Over(new IngressId[] {new IngressId(3, 1L << 46 | 9)}),
                new StreamRecord.Remembered(new IngressId[] {new IngressId(3, 1L << 46 | 9)}),
                new StreamRecord.FiltersAsked(300),
                new StreamRecord.FiltersTold(1),
                new StreamRecord.AwayFiltersAsked(new int[] {3, 0xFF_FFFF}),
                new StreamRecord.AwayFilters(
                        0xFF_FFFF, new TopicFilter[] {TopicFilter.of("a/#"), GROUPS[0]}),
                new StreamRecord.AwayFiltersEnd(0xFF_FFFF),
                new StreamRecord.WaysAsked(1L << 40 | 3, 0xFF_FFFF),
                new StreamRecord.WaysTold(1L << 40 | 3),
                new StreamRecord.Inherited(new IngressId[] {new IngressId(3, 1L << 46 | 9)}));
    }
}
