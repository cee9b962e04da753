package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.packet.PacketType;
import org.junit.jupiter.api.Test;

/**
 * A message becomes a row before its append counts: followers at other nodes may confirm long after
 * the own disk has it.
 */
class RowsBeforeCommitTest extends QueueFixture {
    @Test
    void publisher_is_told_on_its_shard_when_the_queue_has_left_with_the_message_as_a_row() {
        offline();
        store.holdCommits();
        publish(1);
        rows();
        TestClient back = connect(0, 0);
        assertThat(publisher.count(PacketType.PUBACK)).isZero();
        store.confirm();
        node.settle();
        assertThat(publisher.count(PacketType.PUBACK)).isEqualTo(1);
        assertThat(back.payloads()).containsExactly("m1");
    }

    @Test
    void message_leaves_memory_when_its_append_counts() {
        offline();
        store.holdCommits();
        publish(3);
        rows();
        assertThat(node.queuedBytes()).as("in memory").isPositive();
        store.confirm();
        node.settle();
        assertThat(node.queuedBytes()).isZero();
        assertThat(publisher.count(PacketType.PUBACK)).isEqualTo(3);
        TestClient back = connect(0, 0);
        acknowledgeAll(back);
        assertThat(back.payloads()).containsExactly("m1", "m2", "m3");
        assertNothingIsLeft();
    }
}
