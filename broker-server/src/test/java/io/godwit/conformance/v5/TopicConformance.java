package io.godwit.conformance.v5;

import static io.godwit.conformance.wire.Bytes.bin;
import static io.godwit.conformance.wire.Bytes.concat;
import static io.godwit.conformance.wire.Bytes.hex;
import static io.godwit.conformance.wire.Bytes.props;
import static io.godwit.conformance.wire.Bytes.text;
import static io.godwit.conformance.wire.Bytes.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Mqtt5;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Topic names and filters (4.7), order (4.6), fragments (4.2). */
class TopicConformance extends Conformance5 {
    @Test
    @Mqtt5({"MQTT-4.7.1-1", "MQTT-4.7.1-2"})
    void wildcards_stand_alone_in_their_level_and_hash_is_last() {
        var client = client();
        for (String good : new String[] {"#", "+", "/+", "+/", "+/+/#", "a/#", "a/+/b"}) {
            client.subscribe("$conformance/" + good, QOS_0);
        }
        for (String bad : new String[] {"a#", "#/a", "a/#/b", "##", "a+", "+a", "a/b+/c", "++"}) {
            client().send(subscribe(7, bad, QOS_0)).filterRefused();
        }
    }

    @Test
    @Mqtt5("MQTT-4.7.2-1")
    @ResourceLock(EVERY_TOPIC)
    void a_leading_wildcard_does_not_match_topics_that_begin_with_dollar() {
        String tail = topic("a").substring("conformance/".length());
        String dollar = "$conformance/" + tail;
        var hash = subscriber("#", QOS_0);
        var plus = subscriber("+/" + tail, QOS_0);
        var exact = subscriber(dollar, QOS_1);
        var wild = subscriber("$conformance/+/" + tail.substring(tail.indexOf('/') + 1), QOS_1);
        var publisher = client();
        publishes(publisher, dollar, "dollar");
        assertThat(exact.publish("dollar").topic()).isEqualTo(dollar);
        assertThat(wild.publish("dollar").topic()).isEqualTo(dollar);
        nothingBefore(publisher, plus, "conformance/" + tail, 1);
        publishes(publisher, "conformance/" + tail, "last");
        for (var next = hash.publish(); !next.text().equals("last"); next = hash.publish()) {
            assertThat(next.topic()).doesNotStartWith("$");
        }
        hash.unsubscribe("#");
    }

    @Test
    @Mqtt5("MQTT-4.7.3-1")
    void a_topic_filter_has_one_character_or_more() {
        var client = client().subscribe("/", QOS_0);
        client.send(subscribe(7, "", QOS_0)).filterRefused();
        client().send(subscribe(7, "$share/group/", QOS_0)).filterRefused();
    }

    @Test
    @Mqtt5("MQTT-4.7.3-3")
    void a_topic_filter_of_65535_bytes_is_taken_and_matched() {
        String topic = topic("x".repeat(65_535 - topic("").length()));
        var subscriber = subscriber(topic, QOS_0);
        var publisher = client();
        publisher.send(publish(topic.substring(0, 65_534)).payload("shorter"));
        publisher.send(publish(topic).payload("whole"));
        assertThat(subscriber.publish("whole").topic()).hasSize(65_535);
        subscriber.unsubscribe(topic);
    }

    @Test
    @Mqtt5("MQTT-4.7.3-4")
    void topics_are_compared_as_sent() {
        String base = topic("");
        byte[] composed = concat(text(base), hex("c3 85"));
        byte[] decomposed = concat(text(base), hex("41 cc 8a"));
        var one = client();
        one.send(subscribe(1, props(), bin(composed), QOS_0)).next().subAck();
        var two = client();
        two.send(subscribe(1, props(), bin(decomposed), QOS_0)).next().subAck();
        var upper = subscriber(base + "A", QOS_0);
        var publisher = client();
        publisher.send(publish("").topic(bin(decomposed)).payload("decomposed"));
        publisher.send(publish("").topic(bin(composed)).payload("composed"));
        publisher.send(publish(base + "a").payload("lower"));
        publisher.send(publish(base + "A ").payload("space"));
        one.publish("composed");
        two.publish("decomposed");
        nothingBefore(publisher, upper, base + "A", 0);
    }

    @Test
    @Mqtt5({"MQTT-4.6.0-5", "MQTT-4.6.0-6"})
    void messages_of_one_publisher_keep_their_order() {
        String topic = topic("a");
        comesInOrder(client(), subscriber(topic, QOS_2), topic);
    }

    @Test
    @Mqtt5("MQTT-4.2.0-1")
    void packets_may_arrive_in_any_fragments() {
        String topic = topic("a");
        var subscriber = subscriber(topic, QOS_1);
        var client = open();
        byte[] all =
                concat(
                        connect().bytes(),
                        publish(topic).qos(1, 0x7FFF).dup().payload("x".repeat(200)).bytes(),
                        hex("c0 00"));
        for (byte b : all) {
            client.send(new byte[] {b});
        }
        client.accepted();
        client.pubAck(0x7FFF, 0);
        client.pong();
        var received = subscriber.publish("x".repeat(200));
        assertThat(received.dup()).isFalse();
        assertThat(utf8(received.topic())).isEqualTo(utf8(topic));
    }
}
