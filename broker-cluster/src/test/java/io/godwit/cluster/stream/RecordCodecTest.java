package io.godwit.cluster.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.core.message.Message;
import io.godwit.core.message.PassingMessage;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.Topic;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RecordCodecTest {
    private static StreamRecord again(StreamRecord record) {
        ByteWriter to = new ByteWriter(8);
        RecordCodec.write(to, record);
        ByteReader from = new ByteReader(to.toBytes());
        StreamRecord read = RecordCodec.read(from, null, null);
        assertThat(from.isAtEnd()).isTrue();
        return read;
    }

    @Test
    void every_record_is_read_as_it_was_written() {
        List<StreamRecord> all = new ArrayList<>(StreamSamples.records());
        all.add(StreamSamples.TRANSIENT_FILTERS);
        all.add(StreamSamples.LIMITED_FILTERS);
        all.addAll(StreamSamples.LEADERS);
        all.addAll(StreamSamples.TAKEOVERS);
        for (StreamRecord record : all) {
            assertThat(again(record))
                    .usingRecursiveComparison()
                    .ignoringFieldsMatchingRegexes(".*route")
                    .isEqualTo(record);
        }
    }

    /** As a PUBLISH brings it, in the middle of what was received. */
    static PassingMessage passing(Message message) {
        PublishFrame frame = new PublishFrame();
        frame.qos = message.qos;
        frame.forwardedProperties = message.properties;
        frame.buffer = Unpooled.wrappedBuffer(new byte[3], message.payload, new byte[5]);
        frame.payloadIndex = 3;
        frame.payloadLength = message.payload.length;
        ClientId publisher = message.publisher == null ? ClientId.of("") : message.publisher;
        PassingMessage passing =
                new PassingMessage(publisher, message.ingressServer, message.topic, frame);
        passing.ingressCounter = message.ingressCounter;
        passing.expiresAtMs = message.expiresAtMs;
        return passing;
    }

    @Test
    void what_passes_is_written_as_the_message_that_would_be_made_of_it() {
        for (int which = 0; which < 8; which++) {
            Message message =
                    new Message(
                            Topic.of("a/b"),
                            new byte[which * 30],
                            (which & 2) == 0 ? PublishFrame.NO_PROPERTIES : new byte[] {1, 1},
                            which & 1,
                            false,
                            (which & 4) == 0 ? Message.NEVER : 99,
                            ClientId.of("c"),
                            3,
                            1L << 46 | which);
            ByteWriter made = new ByteWriter(8);
            RecordCodec.write(made, message);
            ByteWriter passed = new ByteWriter(8);
            RecordCodec.write(passed, passing(message));
            assertThat(passed.toBytes()).isEqualTo(made.toBytes());
        }
    }

    @Test
    void what_is_no_record_is_refused() {
        assertThatThrownBy(() -> RecordCodec.read(new ByteReader(new byte[] {99}), null, null))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> RecordCodec.read(new ByteReader(new byte[] {2, 1}), null, null))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }
}
