package io.godwit.cluster.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
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
        for (StreamRecord record : StreamSamples.records()) {
            assertThat(again(record))
                    .usingRecursiveComparison()
                    .ignoringFieldsMatchingRegexes(".*route")
                    .isEqualTo(record);
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
