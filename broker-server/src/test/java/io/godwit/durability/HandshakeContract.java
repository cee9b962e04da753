package io.godwit.durability;

import static io.godwit.durability.Clients.barrier;
import static io.godwit.durability.Clients.durable;
import static io.godwit.durability.Clients.publish;
import static io.godwit.durability.Clients.texts;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.godwit.conformance.wire.Frame;
import io.godwit.conformance.wire.Props;
import io.godwit.conformance.wire.PublishBytes;
import io.godwit.conformance.wire.WireClient;
import java.util.ArrayList;
import java.util.List;

/** What is under way with a client when the broker goes is where it was when it comes back. */
abstract class HandshakeContract extends RestartedBroker {
    private static final int PUBREC = 5;
    private static final int PUBREL = 6;
    private static final int PUBCOMP = 7;
    private static final int PUBACK = 4;

    @SideBySide
    void what_is_in_flight_comes_again_with_its_packet_id_and_dup() {
        WireClient client = clients.connect(durable(id("s")).properties(Props.receiveMaximum(3)));
        client.subscribe(topic("t"), 1);
        WireClient publisher = clients.publisher(id("p"));
        for (int i = 0; i < 5; i++) {
            publish(publisher, topic("t"), 1, "m" + i);
        }
        List<Integer> ids = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            ids.add(client.publish("m" + i).packetId());
        }
        client.sendAck(PUBACK, ids.get(1)); // so the fourth leaves, too
        ids.add(client.publish("m3").packetId());
        barrier(client);

        restart();

        WireClient back = clients.resume(durable(id("s")).properties(Props.receiveMaximum(3)));
        for (int i : List.of(0, 2, 3)) {
            Frame.Publish again = back.publish("m" + i);
            assertThat(again.dup()).isTrue();
            assertThat(again.packetId()).isEqualTo(ids.get(i));
        }
        back.quiet(); // the client's window is full
        back.sendAck(PUBACK, ids.get(0));
        Frame.Publish last = back.publish("m4");
        assertThat(last.dup()).isFalse();
        assertThat(ids.subList(2, 4)).doesNotContain(last.packetId());
    }

    @SideBySide
    void qos_2_goes_on_from_each_state_of_its_handshake() {
        WireClient client = clients.connect(durable(id("s"))).subscribe(topic("t"), 2);
        WireClient publisher = clients.publisher(id("p"));
        List<Integer> ids = new ArrayList<>();
        for (String each : List.of("sent", "received", "released", "complete", "sent too")) {
            publish(publisher, topic("t"), 2, each);
            ids.add(client.publish(each).packetId());
        }
        client.sendAck(PUBREC, ids.get(2));
        client.pubRel(ids.get(2));
        client.sendAck(PUBREC, ids.get(3));
        client.pubRel(ids.get(3));
        client.sendAck(PUBCOMP, ids.get(3));
        client.sendAck(PUBREC, ids.get(1));
        client.pubRel(ids.get(1));
        barrier(client);

        restart();

        WireClient back = clients.resume(durable(id("s")));
        List<Integer> publishes = new ArrayList<>();
        List<Integer> releases = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Frame frame = back.next();
            if (frame.type() == PUBREL) {
                releases.add(frame.ack(PUBREL).packetId());
            } else {
                assertThat(frame.publish().dup()).isTrue();
                publishes.add(frame.publish().packetId());
            }
        }
        back.quiet();
        assertThat(publishes).containsExactly(ids.get(0), ids.get(4));
        assertThat(releases).containsExactlyInAnyOrder(ids.get(1), ids.get(2));
        for (int packetId : publishes) {
            back.sendAck(PUBREC, packetId);
            back.pubRel(packetId);
        }
        for (int i : List.of(0, 1, 2, 4)) {
            back.sendAck(PUBCOMP, ids.get(i));
        }
        barrier(back);
        JsonNode seen = node.admin().client(id("s"));
        assertThat(seen.get("inFlight").asInt()).isZero();
        assertThat(seen.get("queued").asInt()).isZero();
    }

    @SideBySide
    void a_qos_2_publish_that_is_sent_again_is_not_doubled() {
        clients.away(id("s"), topic("t"), 2);
        WireClient publisher = clients.connect(durable(id("p")));
        publisher.send(PublishBytes.v5(topic("t")).qos(2, 5).payload("once"));
        publisher.pubRec(5);
        publisher.send(PublishBytes.v5(topic("t")).qos(2, 6).payload("released only"));
        publisher.pubRec(6);
        publisher.send(PublishBytes.v5(topic("t")).qos(2, 7).payload("complete"));
        publisher.pubRec(7).packetId();
        publisher.sendAck(PUBREL, 7);
        publisher.pubComp(7);
        barrier(publisher);

        restart();

        WireClient back = clients.resume(durable(id("p")));
        back.send(PublishBytes.v5(topic("t")).qos(2, 5).dup().payload("once"));
        back.pubRec(5, 0);
        back.sendAck(PUBREL, 5);
        back.pubComp(5, 0);
        back.sendAck(PUBREL, 6);
        back.pubComp(6, 0);
        back.sendAck(PUBREL, 7);
        back.pubComp(7, 0x92); // not known any more
        back.send(PublishBytes.v5(topic("t")).qos(2, 5).payload("another"));
        back.pubRec(5, 0);

        WireClient subscriber = clients.resume(durable(id("s")));
        assertThat(texts(subscriber, 4))
                .containsExactly("once", "released only", "complete", "another");
        subscriber.quiet();
    }

    @SideBySide
    void packet_ids_lent_by_a_group_are_the_same_again() {
        String filter = "$share/group/" + topic("t");
        WireClient member = clients.connect(durable(id("one"))).subscribe(filter, 2);
        WireClient publisher = clients.publisher(id("p"));
        publish(publisher, topic("t"), 2, "sent");
        publish(publisher, topic("t"), 2, "released");
        int sent = member.publish("sent").packetId();
        int released = member.publish("released").packetId();
        member.sendAck(PUBREC, released);
        member.pubRel(released);
        barrier(member);

        restart();

        WireClient back = clients.resume(durable(id("one")));
        Frame.Publish again = back.publish("sent");
        assertThat(again.packetId()).isEqualTo(sent);
        assertThat(again.dup()).isTrue();
        back.pubRel(released);
        back.sendAck(PUBCOMP, released);
        back.sendAck(PUBREC, sent);
        back.pubRel(sent);
        back.sendAck(PUBCOMP, sent);
        back.quiet();
    }
}
