package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.session.SessionInfo;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.OverloadSettings;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Questions about the clients of a node. */
class ClientDirectoryTest {
    private final TestNode node =
            new TestNode(2, LimitSettings.DEFAULTS, OverloadSettings.DEFAULTS);
    private final ClientDirectory directory = new ClientDirectory(node.shards);

    private TestClient connect(int shard, String id, long expirySeconds) {
        TestClient client = node.open(shard, ProtocolVersion.MQTT_5);
        client.connect(id, false, expirySeconds, 0);
        node.settle();
        return client;
    }

    private <T> T answer(CompletableFuture<T> asked) {
        node.settle();
        assertThat(asked).isCompleted();
        return asked.join();
    }

    private List<String> all(int max) {
        List<String> found = new ArrayList<>();
        ClientId after = null;
        while (true) {
            ClientDirectory.ClientIds page = answer(directory.idsAfter(after, max));
            page.ids().forEach(each -> found.add(each.toString()));
            if (page.isEnd()) {
                return found;
            }
            assertThat(page.ids()).hasSize(max);
            after = page.ids().getLast();
        }
    }

    @Test
    void pages_of_client_ids_have_each_session_once() {
        Set<String> expected = new HashSet<>();
        for (int i = 0; i < 200; i++) {
            String id = "c" + i;
            expected.add(id);
            TestClient client = connect(i % 2, id, i % 3 == 0 ? 0 : 1_000);
            if (i % 3 == 1) {
                client.cut();
            }
        }
        for (int max : new int[] {1, 7, 100, 200, 1_000}) {
            assertThat(all(max)).hasSize(expected.size()).containsOnlyOnceElementsOf(expected);
        }
    }

    @Test
    void a_node_without_sessions_has_one_empty_page() {
        ClientDirectory.ClientIds page = answer(directory.idsAfter(null, 10));
        assertThat(page.ids()).isEmpty();
        assertThat(page.isEnd()).isTrue();
    }

    @Test
    void pages_go_on_behind_a_session_that_has_ended_or_moved_to_another_shard() {
        for (int i = 0; i < 20; i++) {
            connect(0, "c" + i, 1_000);
        }
        List<String> before = all(1_000);
        ClientId last = ClientId.of(before.get(9));
        assertThat(answer(directory.kick(last, true))).isEqualTo(KickResult.ENDED);
        connect(1, before.get(12), 1_000);
        connect(1, before.get(3), 1_000);
        List<String> rest = new ArrayList<>();
        answer(directory.idsAfter(last, 1_000)).ids().forEach(each -> rest.add(each.toString()));
        assertThat(rest).isEqualTo(before.subList(10, 20));
    }

    @Test
    void disconnects_with_the_reason_and_the_session_stays() {
        TestClient client = connect(0, "c", 1_000);
        assertThat(
                        answer(
                                directory.disconnect(
                                        ClientId.of("c"), ReasonCode.QUOTA_EXCEEDED, "no", false)))
                .isEqualTo(KickResult.DISCONNECTED);
        assertThat(client.packets())
                .last()
                .isInstanceOfSatisfying(
                        Packet.Disconnect.class,
                        packet -> assertThat(packet.reason()).isEqualTo(ReasonCode.QUOTA_EXCEEDED));
        Optional<SessionInfo> found = answer(directory.find(ClientId.of("c"), 0));
        assertThat(found).hasValueSatisfying(info -> assertThat(info.connected()).isFalse());
        assertThat(
                        answer(
                                directory.disconnect(
                                        ClientId.of("c"), ReasonCode.QUOTA_EXCEEDED, "no", false)))
                .isEqualTo(KickResult.OFFLINE);
        assertThat(
                        answer(
                                directory.disconnect(
                                        ClientId.of("d"), ReasonCode.QUOTA_EXCEEDED, "no", false)))
                .isEqualTo(KickResult.UNKNOWN);
    }

    @Test
    void a_transient_session_ends_with_its_connection() {
        connect(0, "c", 0);
        assertThat(
                        answer(
                                directory.disconnect(
                                        ClientId.of("c"), ReasonCode.QUOTA_EXCEEDED, "no", true)))
                .isEqualTo(KickResult.ENDED);
        assertThat(answer(directory.find(ClientId.of("c"), 0))).isEmpty();
    }

    @Test
    void shows_the_keep_alive_that_counts() {
        connect(0, "c", 1_000);
        assertThat(answer(directory.find(ClientId.of("c"), 0)))
                .hasValueSatisfying(info -> {
                    assertThat(info.connected()).isTrue();
                    assertThat(info.keepAliveSeconds()).isEqualTo(60);
                    assertThat(info.groups()).isEmpty();
                });
    }
}
