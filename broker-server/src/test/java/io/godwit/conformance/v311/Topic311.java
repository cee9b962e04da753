package io.godwit.conformance.v311;

import static io.godwit.conformance.wire.Bytes.bin;
import static io.godwit.conformance.wire.Bytes.concat;
import static io.godwit.conformance.wire.Bytes.hex;
import static io.godwit.conformance.wire.Bytes.packet;
import static io.godwit.conformance.wire.Bytes.text;
import static io.godwit.conformance.wire.Bytes.u16;
import static io.godwit.conformance.wire.Bytes.u8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Mqtt311;
import io.godwit.conformance.wire.WebSocketTransport;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Topic names and filters (4.7), and MQTT over WebSocket (6). */
class Topic311 extends Conformance311 {
    @Test
    @Mqtt311({"MQTT-4.7.1-2", "MQTT-4.7.1-3"})
    void wildcards_stand_alone_in_their_level_and_hash_is_last() {
        var client = client();
        for (String good : new String[] {"#", "+", "/+", "+/", "+/+/#", "a/#", "a/+/b"}) {
            client.subscribe("$conformance/" + good, 0);
        }
        for (String bad : new String[] {"a#", "#/a", "a/#/b", "##", "a+", "+a", "a/b+/c", "++"}) {
            client().send(subscribe(7, bad, 0)).filterRefused();
        }
    }

    @Test
    @Mqtt311("MQTT-4.7.2-1")
    @ResourceLock(EVERY_TOPIC)
    void a_leading_wildcard_does_not_match_topics_that_begin_with_dollar() {
        String tail = topic("a").substring("conformance/".length());
        String dollar = "$conformance/" + tail;
        var hash = subscriber("#", 0);
        var plus = subscriber("+/" + tail, 0);
        var exact = subscriber(dollar, 1);
        var publisher = client();
        publishes(publisher, dollar, "dollar");
        assertThat(exact.publish("dollar").topic()).isEqualTo(dollar);
        nothingBefore(publisher, plus, "conformance/" + tail, 1);
        publishes(publisher, "conformance/" + tail, "last");
        for (var next = hash.publish(); !next.text().equals("last"); next = hash.publish()) {
            assertThat(next.topic()).doesNotStartWith("$");
        }
        hash.unsubscribe("#");
    }

    @Test
    @Mqtt311("MQTT-4.7.3-1")
    void topic_names_and_filters_have_one_character_or_more() {
        var client = client().subscribe("/", 0);
        client.send(subscribe(7, "", 0)).filterRefused();
        var publisher = client();
        publisher.send(publish(topic("a")).qos(1, 1)).pubAck(1);
        publisher.send(publish("").qos(1, 2)).closed();
    }

    @Test
    @Mqtt311("MQTT-4.7.3-2")
    void topic_names_and_filters_have_no_null_character() {
        client().subscribe(topic("a"), 0).quiet();
        closes(packet(0x82, u16(1), WITH_NULL, u8(0)));
        closes(packet(0x30, WITH_NULL));
    }

    @Test
    @Mqtt311("MQTT-4.7.3-3")
    void a_topic_of_65535_bytes_is_matched_and_delivered() {
        String topic = topic("x".repeat(65_535 - topic("").length()));
        var subscriber = subscriber(topic, 0);
        var publisher = client();
        publisher.send(publish(topic.substring(0, 65_534)).payload("shorter"));
        publisher.send(publish(topic).payload("whole"));
        assertThat(subscriber.publish("whole").topic()).hasSize(65_535);
        subscriber.unsubscribe(topic);
    }

    @Test
    @Mqtt311("MQTT-4.7.3-4")
    void topics_are_compared_as_sent() {
        String base = topic("");
        byte[] composed = bin(concat(text(base), hex("c3 85")));
        byte[] decomposed = bin(concat(text(base), hex("41 cc 8a")));
        var one = client();
        one.send(packet(0x82, u16(1), composed, u8(0))).next().subAck();
        var upper = subscriber(base + "A", 0);
        var publisher = client();
        publisher.send(publish("").topic(decomposed).payload("decomposed"));
        publisher.send(publish("").topic(composed).payload("composed"));
        publisher.send(publish(base + "a").payload("lower"));
        one.publish("composed");
        nothingBefore(publisher, upper, base + "A", 0);
    }

    @Test
    @Mqtt311({"MQTT-6.0.0-1", "MQTT-4.8.0-1"})
    void a_text_frame_ends_the_connection() throws IOException {
        var webSocket = webSocket("mqtt");
        var client = webSocketClient(webSocket);
        client.send(connect()).accepted();
        client.quiet();
        webSocket.sendFrame(WebSocketTransport.TEXT, true, hex("c0 00"));
        client.closed();
    }

    @Test
    @Mqtt311("MQTT-6.0.0-2")
    void frames_and_packets_need_not_align() throws IOException {
        String topic = topic("a");
        var subscriber = webSocketClient(webSocket("mqtt"));
        subscriber.send(connect()).accepted();
        subscriber.subscribe(topic, 1);
        var webSocket = webSocket("mqtt");
        var client = webSocketClient(webSocket);
        byte[] publish = publish(topic).qos(1, 5).dup().payload("x".repeat(300)).bytes();
        byte[] all = concat(connect().bytes(), publish, hex("c0 00 c0 00"));
        for (int at = 0; at < all.length; at += 7) {
            byte[] part = Arrays.copyOfRange(all, at, Math.min(at + 7, all.length));
            webSocket.sendFrame(WebSocketTransport.BINARY, true, part);
        }
        client.accepted();
        client.pubAck(5);
        client.pong();
        client.pong();
        assertThat(subscriber.publish("x".repeat(300)).dup()).isFalse();
    }

    @Test
    @Mqtt311({"MQTT-6.0.0-3", "MQTT-6.0.0-4"})
    void the_subprotocol_mqtt_is_selected_and_needed() throws IOException {
        var good = webSocket("chat, mqtt");
        assertThat(good.header("Sec-WebSocket-Protocol")).isEqualTo("mqtt");
        webSocketClient(good).send(connect()).accepted();
        var other = webSocket("chat");
        assertThat(other.header("Sec-WebSocket-Protocol")).isNotEqualTo("chat");
        if (other.status() == 101) {
            webSocketClient(other).closedInAnyWay();
        }
    }
}
