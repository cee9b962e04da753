package io.godwit.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.transport.Endpoint;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.cluster.transport.Resumed;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

class EndedNodesTest {
    private static final Resumed NOTHING = Resumed.NOTHING;

    private boolean isRefused;
    private int tries;
    private long nowMs;
    private final EndedNodes nodes =
            new EndedNodes(
                    endpoint -> InetSocketAddress.createUnresolved("n", 1),
                    address -> {
                        tries++;
                        return isRefused;
                    },
                    () -> nowMs);

    private static PeerLink link(int server) {
        Endpoint endpoint = new Endpoint() {};
        return (PeerLink)
                Proxy.newProxyInstance(
                        PeerLink.class.getClassLoader(),
                        new Class<?>[] {PeerLink.class},
                        (self, method, arguments) ->
                                switch (method.getName()) {
                                    case "peer" -> new NodeStart(server, 1);
                                    case "endpoint" -> endpoint;
                                    case "equals" -> self == arguments[0];
                                    default -> 0;
                                });
    }

    @Test
    void node_has_ended_once_its_address_has_refused_twice() {
        PeerLink link = link(2);
        nodes.onUp(link, NOTHING);
        isRefused = true;
        nodes.look();
        nodes.look();
        assertThat(nodes.hasEnded(2)).isFalse();
        nodes.onDown(link, List.of());
        nodes.look();
        assertThat(nodes.hasEnded(2)).isFalse();
        nodes.look();
        assertThat(nodes.hasEnded(2)).isTrue();
        nodes.onUp(link(2), NOTHING);
        assertThat(nodes.hasEnded(2)).isFalse();
    }

    @Test
    void node_that_takes_connections_or_is_silent_has_not_ended() {
        PeerLink link = link(2);
        nodes.onUp(link, NOTHING);
        nodes.onSilent(link);
        nodes.look();
        isRefused = true;
        nodes.look();
        isRefused = false;
        nodes.look();
        isRefused = true;
        nodes.look();
        assertThat(nodes.hasEnded(2)).isFalse();
        nodes.onHeard(link);
        nodes.look();
        assertThat(nodes.hasEnded(2)).isFalse();
    }

    @Test
    void node_whose_address_another_one_has_got_has_ended_and_is_not_tried() {
        PeerLink former = link(2);
        nodes.onUp(former, NOTHING);
        nodes.onDown(former, List.of());
        nodes.onUp(link(3), NOTHING);
        nodes.look();
        assertThat(nodes.hasEnded(2)).isTrue();
        assertThat(nodes.hasEnded(3)).isFalse();
        assertThat(tries).isZero();
        nodes.onUp(link(2), NOTHING);
        assertThat(nodes.hasEnded(2)).isFalse();
    }

    @Test
    void what_was_seen_before_a_pause_says_nothing() {
        PeerLink link = link(2);
        nodes.onUp(link, NOTHING);
        nodes.onDown(link, List.of());
        isRefused = true;
        nodes.look();
        nodes.look();
        nowMs += 2_000;
        assertThat(nodes.hasEnded(2)).isTrue();
        nowMs += 1;
        assertThat(nodes.hasEnded(2)).isFalse();
        nodes.look();
        assertThat(nodes.hasEnded(2)).as("one refusal is not enough").isFalse();
        nodes.look();
        assertThat(nodes.hasEnded(2)).isTrue();
    }

    @Test
    void former_link_that_ends_late_changes_nothing() {
        PeerLink former = link(2);
        nodes.onUp(former, NOTHING);
        nodes.onUp(link(2), NOTHING);
        nodes.onDown(former, List.of());
        isRefused = true;
        nodes.look();
        nodes.look();
        assertThat(nodes.hasEnded(2)).isFalse();
    }
}
