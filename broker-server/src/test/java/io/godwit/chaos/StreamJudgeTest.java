package io.godwit.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.chaos.PacketRecord.Kind;
import io.godwit.chaos.PacketRecord.Seen;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The judge of {@link LibraryStream} tells whose fault it is. */
class StreamJudgeTest {
    private final List<Seen> publisher = new ArrayList<>();
    private final List<Seen> subscriber = new ArrayList<>();

    /** A whole exchange. */
    private static void exchange(List<Seen> record, boolean fromBroker, int packetId, int number) {
        publish(record, fromBroker, packetId, number);
        after(record, fromBroker, packetId, Kind.PUBREC);
        after(record, fromBroker, packetId, Kind.PUBREL);
        after(record, fromBroker, packetId, Kind.PUBCOMP);
    }

    private static void publish(List<Seen> record, boolean fromBroker, int packetId, int number) {
        record.add(new Seen(fromBroker, Kind.PUBLISH, packetId, false, number));
    }

    private static void after(List<Seen> record, boolean fromBroker, int packetId, Kind kind) {
        record.add(new Seen((kind == Kind.PUBREL) == fromBroker, kind, packetId, false, -1));
    }

    private StreamJudge.Verdict judge(Integer... taken) {
        return StreamJudge.judge(publisher, subscriber, List.of(taken));
    }

    @Test
    void once_and_in_order_is_nobodys_fault() {
        for (int i = 0; i < 3; i++) {
            exchange(publisher, false, i + 1, i);
            exchange(subscriber, true, i + 1, i);
        }
        StreamJudge.Verdict verdict = judge(0, 1, 2);
        assertThat(verdict.ofBroker()).isEmpty();
        assertThat(verdict.ofClients()).isEmpty();
        assertThat(verdict.acknowledged()).isEqualTo(3);
    }

    @Test
    void a_message_under_two_packet_ids_is_the_brokers() {
        exchange(publisher, false, 1, 0);
        exchange(subscriber, true, 1, 0);
        exchange(subscriber, true, 2, 0);
        assertThat(judge(0, 0).ofBroker())
                .containsExactly("0 was published 1 times and delivered 2 times");
    }

    @Test
    void a_publish_after_pubrel_is_the_brokers() {
        exchange(publisher, false, 1, 0);
        publish(subscriber, true, 1, 0);
        after(subscriber, true, 1, Kind.PUBREC);
        after(subscriber, true, 1, Kind.PUBREL);
        publish(subscriber, true, 1, 0);
        assertThat(judge(0).ofBroker()).hasSize(1);
    }

    @Test
    void an_acknowledged_message_that_never_comes_is_the_brokers() {
        publish(publisher, false, 1, 0);
        after(publisher, false, 1, Kind.PUBREC);
        assertThat(judge().ofBroker()).containsExactly("0 was acknowledged and never delivered");
    }

    @Test
    void another_order_is_the_brokers() {
        exchange(publisher, false, 1, 0);
        exchange(publisher, false, 2, 1);
        exchange(subscriber, true, 1, 1);
        exchange(subscriber, true, 2, 0);
        assertThat(judge(1, 0).ofBroker()).containsExactly("1 was delivered before 0");
    }

    @Test
    void a_publisher_that_sends_its_publish_after_pubrel_publishes_anew() {
        publish(publisher, false, 1, 0);
        after(publisher, false, 1, Kind.PUBREC);
        after(publisher, false, 1, Kind.PUBREL);
        exchange(publisher, false, 1, 0);
        exchange(subscriber, true, 1, 0);
        exchange(subscriber, true, 2, 0);
        StreamJudge.Verdict verdict = judge(0, 0);
        assertThat(verdict.ofBroker()).isEmpty();
        assertThat(verdict.ofClients()).containsExactly("the publisher sent 0 anew after PUBREL");
    }

    @Test
    void a_subscriber_that_takes_a_repeated_publish_again_is_told() {
        exchange(publisher, false, 1, 0);
        publish(subscriber, true, 1, 0);
        exchange(subscriber, true, 1, 0);
        StreamJudge.Verdict verdict = judge(0, 0);
        assertThat(verdict.ofBroker()).isEmpty();
        assertThat(verdict.ofClients())
                .containsExactly("the subscriber took 0 again when it came with DUP");
    }
}
