package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.MqttSettings;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.settings.QueuePolicy;
import io.godwit.core.settings.QueueSettings;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Shared groups and the sessions of their members, across shards. */
class SharedGroupSessionTest {
    private static final String SHARED = "$share/g/t";

    private final RowStore store = new RowStore();

    /** The shard that has the group. */
    private final int groupShard = Math.floorMod(TopicFilter.of(SHARED).hashCode(), 2);

    private TestNode node(long memoryBytes) {
        OverloadSettings d = OverloadSettings.DEFAULTS;
        return new TestNode(
                2,
                MqttSettings.DEFAULTS,
                LimitSettings.DEFAULTS,
                new QueueSettings(
                        1_000_000, 1L << 30, QueuePolicy.DISCARD_NEWEST, 1L << 40, 1L << 50, 4),
                new OverloadSettings(
                        d.qos0SoftLimit(),
                        d.writeHighWater(),
                        d.writeLowWater(),
                        d.mailboxHighWater(),
                        memoryBytes,
                        d.parkedBytes(),
                        d.sliceMicros()),
                store);
    }

    /** A member that is offline, whatever comes. */
    private static TestClient offline(TestNode node, String clientId) {
        TestClient member = node.client(0, clientId, 3600, 0);
        member.subscribe(1, 2, SHARED);
        node.settle();
        member.cut();
        node.settle();
        return member;
    }

    private static void step(TestNode node, int shard) {
        while (node.loops[shard].step()) {
            // Until it has nothing to do.
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 10})
    void what_stands_in_a_members_mailbox_when_its_socket_closes_goes_to_another(int expiry) {
        TestNode node = node(1L << 30);
        offline(node, "d");
        TestClient member = node.client(1 - groupShard, "t", expiry, 0);
        member.subscribe(1, 2, SHARED);
        TestClient publisher = node.client(groupShard, "p");
        node.settle();
        publisher.publish("t", 2, 1, "x");
        step(node, groupShard); // Given to the member, whose shard has not looked at its mail.
        member.cut();
        node.settle();
        assertThat(member.payloads()).isEmpty();
        assertThat(publisher.acks(PacketType.PUBREC)).containsExactly(1);

        TestClient back = node.client(0, "d", 3600, 0);
        assertThat(back.payloads()).containsExactly("x");
    }

    @Test
    void what_has_a_packet_id_and_was_not_sent_goes_to_another_when_its_member_ends() {
        TestNode node = node(1L << 30);
        offline(node, "d");
        TestClient member = node.client(1 - groupShard, "t", 0, 0);
        member.subscribe(1, 2, SHARED);
        TestClient publisher = node.client(groupShard, "p");
        node.settle();
        publisher.publish("t", 2, 1, "x");
        step(node, groupShard);
        step(node, 1 - groupShard); // It has a packet id; the group has not answered.
        assertThat(member.payloads()).isEmpty();
        member.cut();
        node.settle();

        TestClient back = node.client(0, "d", 3600, 0);
        assertThat(back.payloads()).containsExactly("x");
    }

    @Test
    void what_has_left_at_qos_2_goes_to_nobody_else_when_its_member_ends() {
        TestNode node = node(1L << 30);
        offline(node, "d");
        TestClient member = node.client(1 - groupShard, "t", 0, 0);
        member.subscribe(1, 2, SHARED);
        TestClient publisher = node.client(groupShard, "p");
        node.settle();
        publisher.publish("t", 2, 1, "x");
        node.settle();
        assertThat(member.payloads()).containsExactly("x");
        member.cut();
        node.settle();

        TestClient back = node.client(0, "d", 3600, 0);
        assertThat(back.payloads()).isEmpty();
        assertThat(node.queuedMessages()).isZero();
        assertThat(node.keptMessages()).isZero();
    }

    @Test
    void an_offline_durable_group_does_not_keep_the_memory_alarm_up() {
        TestNode node = node(100_000);
        offline(node, "d");
        TestClient publisher = node.client(groupShard, "p");
        int sent = 0;
        while (!node.context.load().memory().isAlarm()) {
            publisher.publish("t", 1, ++sent, false, new byte[10_000]);
            node.settle();
            node.tick(100);
        }
        store.rows();
        node.settle();
        node.tick(100);
        node.tick(100);
        assertThat(node.context.load().memory().isAlarm()).isFalse();
        publisher.publish("t", 1, ++sent, false, new byte[10]);
        node.settle();
        assertThat(publisher.acks(PacketType.PUBACK)).hasSize(sent);
        assertThat(node.keptMessages()).isEqualTo(sent);

        TestClient back = node.client(0, "d", 3600, 0);
        while (back.acks(PacketType.PUBACK).isEmpty() && back.payloads().size() < sent) {
            int before = back.payloads().size();
            back.packets().stream()
                    .filter(Packet.Publish.class::isInstance)
                    .map(Packet.Publish.class::cast)
                    .toList()
                    .forEach(each -> back.ack(PacketType.PUBACK, each.packetId()));
            node.settle();
            assertThat(back.payloads().size()).isGreaterThan(before);
        }
        assertThat(back.payloads()).hasSize(sent);
    }

    private static void acknowledge(TestNode node, TestClient client, int from) {
        List<Integer> ids =
                client.packets().stream()
                        .filter(Packet.Publish.class::isInstance)
                        .map(each -> ((Packet.Publish) each).packetId())
                        .toList();
        ids.subList(from, ids.size()).forEach(id -> client.ack(PacketType.PUBACK, id));
        node.settle();
    }

    @Test
    void what_comes_back_below_the_cursor_leaves_memory_and_is_read_before_what_follows() {
        TestNode node = node(1L << 30);
        offline(node, "d");
        TestClient publisher = node.client(groupShard, "p");
        List<String> all = new ArrayList<>();
        for (int i = 1; i <= 30; i++) {
            publisher.publish("t", 1, i, "m" + i);
            all.add("m" + i);
        }
        node.settle();
        store.rows();
        node.settle();
        assertThat(node.queuedMessages()).isZero();
        assertThat(node.keptMessages()).isEqualTo(30);

        TestClient first = node.client(0, "d", 3600, 7);
        assertThat(first.payloads()).isEqualTo(all.subList(0, 7));
        acknowledge(node, first, 0);
        assertThat(first.payloads()).isEqualTo(all.subList(0, 14));
        first.cut();
        node.settle();
        assertThat(node.queuedMessages()).isZero();
        assertThat(node.keptMessages()).isEqualTo(23);

        TestClient second = node.client(1, "d", 3600, 4);
        int got = 0;
        while (second.payloads().size() > got) {
            int before = got;
            got = second.payloads().size();
            acknowledge(node, second, before);
        }
        assertThat(second.payloads()).isEqualTo(all.subList(7, 30));
        assertThat(node.queuedMessages()).isZero();
        assertThat(node.keptMessages()).isZero();
        assertThat(node.keptBytes()).isZero();
    }
}
