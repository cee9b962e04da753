package io.godwit.conformance.v5;

import static io.godwit.conformance.wire.Bytes.concat;
import static io.godwit.conformance.wire.Bytes.hex;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Mqtt5;
import io.godwit.conformance.wire.WebSocketTransport;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** MQTT over WebSocket (6). */
class WebSocketConformance extends Conformance5 {
    @Test
    @Mqtt5({"MQTT-6.0.0-1", "MQTT-4.13.1-1"})
    void a_text_frame_ends_the_connection() throws IOException {
        var webSocket = webSocket("mqtt");
        var client = webSocketClient(webSocket);
        client.send(connect()).accepted();
        webSocket.sendFrame(WebSocketTransport.BINARY, true, hex("c0 00"));
        client.pong();
        webSocket.sendFrame(WebSocketTransport.TEXT, true, hex("c0 00"));
        client.closedInAnyWay();
    }

    @Test
    @Mqtt5({"MQTT-6.0.0-2", "MQTT-6.0.0-1"})
    void frames_and_packets_need_not_align() throws IOException {
        String topic = topic("a");
        var subscriber = webSocketClient(webSocket("mqtt"));
        subscriber.send(connect()).accepted();
        subscriber.subscribe(topic, QOS_1);
        var webSocket = webSocket("mqtt");
        var client = webSocketClient(webSocket);
        byte[] publish = publish(topic).qos(1, 5).dup().payload("x".repeat(300)).bytes();
        byte[] all = concat(connect().bytes(), publish, hex("c0 00 c0 00"));
        for (int i = 0; i < 40; i++) {
            webSocket.sendFrame(WebSocketTransport.BINARY, true, new byte[] {all[i]});
        }
        byte[] middle = Arrays.copyOfRange(all, 40, 200);
        webSocket.sendFrame(WebSocketTransport.BINARY, false, middle);
        webSocket.sendFrame(WebSocketTransport.CONTINUATION, false, new byte[0]);
        byte[] rest = Arrays.copyOfRange(all, 200, all.length);
        webSocket.sendFrame(WebSocketTransport.CONTINUATION, true, rest);
        client.accepted();
        client.pubAck(5, 0);
        client.pong();
        client.pong();
        assertThat(subscriber.publish("x".repeat(300)).dup()).isFalse();
    }

    @Test
    @Mqtt5("MQTT-6.0.0-3")
    void a_client_that_does_not_offer_mqtt_is_refused() throws IOException {
        var good = webSocketClient(webSocket("mqtt"));
        good.send(connect()).accepted();
        var other = webSocket("chat");
        assertThat(other.header("Sec-WebSocket-Protocol")).isNotEqualTo("chat");
        if (other.status() == 101) {
            webSocketClient(other).closedInAnyWay();
        }
    }

    @Test
    @Mqtt5("MQTT-6.0.0-4")
    void mqtt_is_selected_among_others() throws IOException {
        var webSocket = webSocket("chat, mqtt, mqttv3.1");
        assertThat(webSocket.status()).isEqualTo(101);
        assertThat(webSocket.header("Sec-WebSocket-Protocol")).isEqualTo("mqtt");
        assertThat(webSocket.header("Sec-WebSocket-Accept"))
                .isEqualTo("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
        var client = webSocketClient(webSocket);
        client.send(connect()).accepted();
        client.quiet();
    }
}
