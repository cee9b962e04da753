package io.godwit.cluster.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.message.Message;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.GroupState;
import java.util.List;
import org.junit.jupiter.api.Test;

class RecordCodecTest {
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

    private static StreamRecord again(StreamRecord record) {
        ByteWriter to = new ByteWriter(8);
        RecordCodec.write(to, record);
        ByteReader from = new ByteReader(to.toBytes());
        StreamRecord read = RecordCodec.read(from, null);
        assertThat(from.isAtEnd()).isTrue();
        return read;
    }

    @Test
    void every_record_is_read_as_it_was_written() {
        HybridId stamp = new HybridId(77, 3);
        List<StreamRecord> all =
                List.of(
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
                                new TopicFilter[] {
                                    TopicFilter.of("a/#"), TopicFilter.of("+"), GROUPS[0]
                                },
                                new GroupState[] {
                                    GroupState.ONLINE, GroupState.NONE, GroupState.WAITING
                                }),
                        new StreamRecord.FiltersBegin(),
                        new StreamRecord.FiltersEnd(),
                        new StreamRecord.FiltersDigest(-1, 8),
                        new StreamRecord.FiltersWanted(),
                        new StreamRecord.Over(new IngressId[] {new IngressId(3, 1L << 46 | 9)}),
                        new StreamRecord.Remembered(
                                new IngressId[] {new IngressId(3, 1L << 46 | 9)}));
        for (StreamRecord record : all) {
            assertThat(again(record))
                    .usingRecursiveComparison()
                    .ignoringFieldsMatchingRegexes(".*route")
                    .isEqualTo(record);
        }
    }

    @Test
    void what_is_no_record_is_refused() {
        assertThatThrownBy(() -> RecordCodec.read(new ByteReader(new byte[] {99}), null))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> RecordCodec.read(new ByteReader(new byte[] {2, 1}), null))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }
}
