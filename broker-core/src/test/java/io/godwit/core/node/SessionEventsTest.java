package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.auth.Identity;
import io.godwit.core.auth.Peer;
import io.godwit.core.auth.Subject;
import io.godwit.core.id.Epoch;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.review.ClientEvents;
import io.godwit.core.review.SessionEvents;
import io.godwit.core.session.Session;
import io.godwit.core.store.MemoryStore;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is told of sessions, and its order with what is told of their clients. */
class SessionEventsTest {
    private final TestNode node = new TestNode(2, new MemoryStore());
    private final List<String> told = new ArrayList<>();

    private final class Told implements SessionEvents, ClientEvents {
        @Override
        public void happened(
                ClientId clientId,
                @Nullable String owner,
                long expirySeconds,
                Kind kind,
                SessionEvents.Cause cause) {
            told.add(kind + " " + clientId + " " + expirySeconds + " " + cause);
        }

        @Override
        public void refused(ClientId clientId, Peer peer, ReasonCode reason, String text) {}

        @Override
        public void connected(Subject client, ProtocolVersion version, boolean sessionPresent) {
            assertThat(client.identity()).isEqualTo(Identity.ANONYMOUS);
            told.add("connected " + client.clientId());
        }

        @Override
        public void disconnected(
                Subject client,
                ProtocolVersion version,
                ClientEvents.Cause cause,
                ReasonCode reason) {
            told.add("disconnected " + client.clientId());
        }
    }

    @BeforeEach
    void listen() {
        Told listener = new Told();
        node.context.reviews().sessionEvents(listener);
        node.context.reviews().events(listener);
    }

    @Test
    void session_is_created_before_and_ends_after_its_connection() {
        TestClient client = node.client(0, "c");
        client.send(new Packet.Disconnect(ReasonCode.SUCCESS, Properties.NONE));
        node.settle();

        assertThat(told)
                .containsExactly(
                        "CREATED c 0 CONNECT",
                        "connected c",
                        "disconnected c",
                        "ENDED c 0 CONNECTION_ENDED");
    }

    @Test
    void session_that_is_kept_is_resumed_also_on_another_shard_and_expires() {
        node.client(0, "c", 100, 0).cut();
        node.settle();
        TestClient again = node.open(1, ProtocolVersion.MQTT_5);
        again.connect("c", false, 100, 0);
        node.settle();
        again.cut();
        node.settle();
        node.tick(101_000);

        assertThat(told)
                .containsExactly(
                        "CREATED c 100 CONNECT",
                        "connected c",
                        "disconnected c",
                        "RESUMED c 100 CONNECT",
                        "connected c",
                        "disconnected c",
                        "EXPIRED c 100 EXPIRY");
    }

    @Test
    void clean_start_ends_the_session_before_it_creates_another() {
        node.client(0, "c", 100, 0);
        TestClient next = node.open(1, ProtocolVersion.MQTT_5);
        next.connect("c", true, 0, 0);
        node.settle();

        assertThat(told)
                .containsExactly(
                        "CREATED c 100 CONNECT",
                        "connected c",
                        "disconnected c",
                        "ENDED c 100 CLEAN_START",
                        "CREATED c 0 CONNECT",
                        "connected c");
    }

    @Test
    void session_whose_client_was_promised_none_is_not_told_of() {
        TestClient gone = node.open(0, ProtocolVersion.MQTT_5);
        gone.connect("c", true, 0, 0);
        gone.cut();
        node.settle();

        assertThat(told).doesNotContain("ENDED c 0 CONNECTION_ENDED");
    }

    @Test
    void session_that_is_set_aside_or_led_by_another_node_is_told_of_so() {
        RestartFixture f = new RestartFixture();
        f.durable(1, "aside");
        f.durable(1, "away");
        f.node.context.reviews().sessionEvents(new Told());
        f.node.settle();
        Session aside = f.node.session("aside");
        f.node.execute(aside.owner(), () -> f.node.shards[0].takeover().setAside(aside));
        Session away = f.node.session("away");
        f.node.execute(away.owner(), () -> away.life().yieldTo(new Epoch(1L << 40, 9)));
        f.node.settle();

        assertThat(told)
                .containsExactlyInAnyOrder(
                        "ENDED aside 3600 REPLACED", "MOVED_AWAY away 3600 LEADER_CHANGED");
    }

    @Test
    void sessions_that_a_node_has_at_its_start_are_no_event() {
        RestartFixture f = new RestartFixture();
        f.durable(1, "c").cut();
        f.node.settle();
        f.crash(0);
        f.node.context.reviews().sessionEvents(new Told());
        f.durable(0, "c");

        assertThat(told).containsExactly("RESUMED c 3600 CONNECT");
    }
}
