package io.godwit.core.operation;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.message.Message;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import org.junit.jupiter.api.Test;

/** Names that came before are those of earlier messages, and never others. */
class KnownNamesTest {
    private final KnownNames names = new KnownNames();

    private Message read(String topic, String publisher) {
        ByteWriter to = new ByteWriter(16);
        Message message =
                new Message(
                        Topic.of(topic),
                        new byte[] {1},
                        new byte[0],
                        1,
                        false,
                        Message.NEVER,
                        ClientId.of(publisher),
                        7,
                        9);
        MessageCodec.writeWithPublisher(to, message);
        ByteReader from = new ByteReader(to.toBytes());
        Message read = MessageCodec.read(from, null, names);
        assertThat(from.isAtEnd()).isTrue();
        assertThat(read.topic).isEqualTo(message.topic);
        assertThat(read.publisher).isEqualTo(message.publisher);
        return read;
    }

    @Test
    void a_name_that_was_read_lately_is_used_again() {
        Message first = read("a/b/c/d/e/f", "client-17");
        read("other", "somebody");
        Message again = read("a/b/c/d/e/f", "client-17");
        assertThat(again.topic).isSameAs(first.topic);
        assertThat(again.publisher).isSameAs(first.publisher);
    }

    @Test
    void names_of_any_length_and_number_are_read_as_they_are() {
        for (int round = 0; round < 2; round++) {
            for (int length = 1; length < 300; length++) {
                read("t".repeat(length), "c".repeat(length - 1));
            }
            for (int i = 0; i < 5_000; i++) {
                read("topic/" + i, "client/" + i);
            }
        }
    }

    @Test
    void a_long_name_is_not_kept() {
        Message first = read("t".repeat(129), "c".repeat(129));
        Message again = read("t".repeat(129), "c".repeat(129));
        assertThat(again.topic).isNotSameAs(first.topic);
        assertThat(again.publisher).isNotSameAs(first.publisher);
    }
}
