package io.godwit.cluster.registration;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.registration.RegistrationMessage.Granted;
import io.godwit.cluster.transport.Resumed;
import java.util.List;
import org.junit.jupiter.api.Test;

class PeerChannelTest {
    private final PeerChannel channel = new PeerChannel(0);
    private final TestPeer first = new TestPeer(OneShard.TWO, 1);
    private final TestPeer second = new TestPeer(OneShard.TWO, 2);

    private void send(long number) {
        channel.add(new Granted(number, 1));
        channel.flush();
    }

    private static Granted[] granted(long... numbers) {
        return java.util.Arrays.stream(numbers)
                .mapToObj(each -> new Granted(each, 1))
                .toArray(Granted[]::new);
    }

    @Test
    void what_the_peer_did_not_receive_is_sent_once_more_and_in_order() {
        channel.onUp(first, Resumed.NOTHING);
        send(1);
        send(2);
        send(3);
        first.isOver = true;
        send(4);
        channel.onDown(List.copyOf(first.offered));
        send(5);
        assertThat(channel.waitingBytes()).isPositive();
        channel.onUp(second, new Resumed(1, 0, 0, 1, 0));
        send(6);
        assertThat(second.take()).containsExactly(granted(2, 3, 4, 5, 6));
        assertThat(channel.waitingBytes()).isZero();
    }

    @Test
    void what_never_arrived_is_sent_again_over_a_third_link() {
        channel.onUp(first, Resumed.NOTHING);
        send(1);
        channel.onDown(List.copyOf(first.offered));
        channel.onUp(second, Resumed.NOTHING);
        send(2);
        channel.onDown(List.copyOf(second.offered));
        TestPeer third = new TestPeer(OneShard.TWO, 3);
        channel.onUp(third, new Resumed(2, 0, 0, 1, 0));
        assertThat(third.take()).containsExactly(granted(2));
    }

    @Test
    void messages_of_a_turn_are_one_batch() {
        channel.onUp(first, Resumed.NOTHING);
        channel.add(new Granted(1, 1));
        channel.add(new Granted(2, 1));
        channel.flush();
        assertThat(first.offered).hasSize(1);
        assertThat(first.take()).containsExactly(granted(1, 2));
    }
}
