package io.godwit.cluster.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.membership.MembershipSettings;
import io.godwit.core.operation.ByteReader;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class FirstHelloTest {
    private static SteppedNode node(int server) {
        MessageHandler none =
                (PeerLink from, MessageType type, ByteReader body, int length) -> true;
        return new SteppedNode(
                server,
                MembershipSettings.PROTOCOL_MIN,
                MembershipSettings.PROTOCOL,
                new byte[0],
                none);
    }

    @Test
    void who_hears_of_the_other_a_little_later_waits_for_no_second_hello() {
        SteppedNode early = node(1);
        SteppedNode late = node(2);
        early.findOther();
        late.onFrameAtOnce(early.sent.get(0)); // It does not know of that one yet.
        late.findOther();

        int heardEarly = 0;
        int heardLate = 1;
        while (heardEarly < late.sent.size() || heardLate < early.sent.size()) {
            if (heardEarly < late.sent.size()) {
                early.onFrameAtOnce(late.sent.get(heardEarly++));
            }
            if (heardLate < early.sent.size()) {
                late.onFrameAtOnce(early.sent.get(heardLate++));
            }
        }

        assertThat(Objects.requireNonNull(early.links.link(2)).state()).isEqualTo(LinkState.UP);
        assertThat(Objects.requireNonNull(late.links.link(1)).state()).isEqualTo(LinkState.UP);
    }
}
