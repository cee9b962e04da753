package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.auth.AccessControl;
import io.godwit.core.auth.AnonymousAccess;
import io.godwit.core.auth.Authenticator;
import io.godwit.core.auth.Authenticators;
import io.godwit.core.auth.Identity;
import io.godwit.core.auth.Peer;
import io.godwit.core.auth.Security;
import io.godwit.core.auth.Security.SessionOwner;
import io.godwit.core.auth.Verdict;
import io.godwit.core.node.TestClient;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Users who connect with one client id to different nodes. */
class OwnedClientIdsOfNodesTest {
    private static final int STANDS_IN_MS = 1_300;

    private final LoopNodes nodes = new LoopNodes(3, new SplittableRandom(1), usersOwnSessions());

    /** Lets in everyone as who he says he is. */
    private static final class Believes implements Authenticator {
        @Override
        public String name() {
            return "believes";
        }

        @Override
        public void authenticate(Packet.Connect connect, Peer peer, Consumer<Verdict> verdict) {
            verdict.accept(new Verdict.Granted(Identity.ofUser(connect.userName())));
        }
    }

    private static Security usersOwnSessions() {
        return new Security(
                new Authenticators(List.of(new Believes()), Map.of(), Map.of()),
                Map.of(),
                new AnonymousAccess(AnonymousAccess.Policy.EVERYONE, () -> {}),
                AccessControl.OPEN,
                SessionOwner.USER,
                Security.AUTHENTICATE_MS);
    }

    /** Connects with a client id whose slot node 1 leads. */
    private TestClient connect(int node, String user, boolean cleanStart, long expiry) {
        TestClient client = nodes.node(node).node().open(0, ProtocolVersion.MQTT_5);
        client.send(
                new Packet.Connect(
                        ProtocolVersion.MQTT_5,
                        ClientId.of(nodes.node(1).id("s")),
                        cleanStart,
                        60,
                        null,
                        user,
                        null,
                        false,
                        Properties.builder()
                                .add(Property.SESSION_EXPIRY_INTERVAL, expiry)
                                .build()));
        nodes.settle();
        return client;
    }

    private static void assertRefused(TestClient client) {
        assertThat(RoamingFixture.connAck(client).code())
                .isEqualTo(ReasonCode.CLIENT_IDENTIFIER_NOT_VALID.code());
    }

    @Test
    void durable_session_of_a_user_is_not_ended_by_another_user_at_another_node() {
        TestClient ann = connect(2, "ann", true, 600);
        assertRefused(connect(3, "bob", true, 0));
        assertThat(ann.isClosed()).isFalse();
        ann.cut();
        nodes.settle();
        assertRefused(connect(3, "bob", true, 0));
        assertRefused(connect(3, "bob", false, 0));
        assertThat(RoamingFixture.connAck(connect(3, "ann", false, 0)).sessionPresent()).isTrue();
    }

    @Test
    void transient_connection_of_a_user_is_not_ended_by_another_user_at_any_node() {
        TestClient ann = connect(2, "ann", true, 0);
        for (int node = 1; node <= 3; node++) {
            assertRefused(connect(node, "bob", true, 0));
            assertRefused(connect(node, "bob", false, 600));
        }
        assertThat(ann.isClosed()).isFalse();
        assertThat(RoamingFixture.connAck(connect(3, "ann", true, 0)).code()).isZero();
        assertThat(ann.isClosed()).isTrue();
    }

    @Test
    void session_of_a_user_outlives_a_clean_start_of_another_one_while_its_leader_was_down() {
        connect(1, "ann", true, 600).cut();
        nodes.settle();
        nodes.node(1).crash();
        nodes.pass(STANDS_IN_MS);
        TestClient bob = connect(2, "bob", true, 0);
        assertThat(RoamingFixture.connAck(bob).code()).isZero();
        assertRefused(connect(3, "ann", true, 0));
        nodes.node(1).restart();
        nodes.pass(1_500);
        assertThat(bob.isClosed()).isTrue();
        assertThat(RoamingFixture.connAck(connect(3, "ann", false, 600)).sessionPresent()).isTrue();
    }
}
