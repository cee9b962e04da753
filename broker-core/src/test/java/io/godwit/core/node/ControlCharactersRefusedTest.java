package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.Will;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.OverloadSettings;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** mqtt.control-characters: refuse. */
class ControlCharactersRefusedTest {
    private static final String BAD = "a/\u0001b";

    private final TestNode node =
            new TestNode(1, LimitSettings.DEFAULTS, OverloadSettings.DEFAULTS);

    private static ReasonCode reasonOfEnd(TestClient client) {
        assertThat(client.wire.isClosed()).isTrue();
        return switch (client.packets().getLast()) {
            case Packet.Disconnect disconnect -> disconnect.reason();
            case Packet.ConnAck connAck -> Objects.requireNonNull(ReasonCode.of(connAck.code()));
            case Packet other -> throw new AssertionError(other);
        };
    }

    private TestClient publishing(String topic, Properties properties) {
        TestClient client = node.client(0, "p");
        client.send(
                new Packet.Publish(Topic.of(topic), 1, false, true, 1, properties, new byte[1]));
        node.settle();
        return client;
    }

    @Test
    void publish_to_such_a_topic_ends_its_connection_with_topic_name_invalid() {
        assertThat(reasonOfEnd(publishing(BAD, Properties.NONE)))
                .isEqualTo(ReasonCode.TOPIC_NAME_INVALID);
        assertThat(node.count(Metric.PUBLISH_RECEIVED)).isZero();
    }

    @Test
    void publish_with_such_a_user_property_or_response_topic_is_malformed() {
        assertThat(reasonOfEnd(publishing("t", Properties.builder().user("n", BAD).build())))
                .isEqualTo(ReasonCode.MALFORMED_PACKET);
        assertThat(
                        reasonOfEnd(
                                publishing(
                                        "t",
                                        Properties.builder()
                                                .add(Property.RESPONSE_TOPIC, BAD)
                                                .build())))
                .isEqualTo(ReasonCode.MALFORMED_PACKET);
    }

    @Test
    void will_with_such_a_topic_is_refused() {
        TestClient client = node.open(0, ProtocolVersion.MQTT_5);
        Will will = new Will(Topic.of(BAD), 0, false, new byte[0], 0, Properties.NONE);
        client.connect("w", true, 0, 0, will);
        node.settle();
        assertThat(reasonOfEnd(client)).isEqualTo(ReasonCode.TOPIC_NAME_INVALID);
    }

    @Test
    void client_id_with_such_a_character_is_refused() {
        TestClient client = node.open(0, ProtocolVersion.MQTT_5);
        client.connect("c\u0085", true, 0, 0);
        node.settle();
        assertThat(reasonOfEnd(client)).isEqualTo(ReasonCode.CLIENT_IDENTIFIER_NOT_VALID);
    }

    @Test
    void filter_with_such_a_character_is_refused_in_suback_and_the_others_are_granted() {
        TestClient client = node.client(0, "s");
        client.subscribe(1, 1, "a/#", BAD);
        node.settle();
        assertThat(client.wire.isClosed()).isFalse();
        assertThat(client.count(PacketType.SUBACK)).isEqualTo(1);
        assertThat(((Packet.SubAck) client.packets().getLast()).codes())
                .containsExactly(1, ReasonCode.TOPIC_FILTER_INVALID.code());
    }
}
