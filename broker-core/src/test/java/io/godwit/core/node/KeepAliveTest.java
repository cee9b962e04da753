package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.MqttSettings;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.shard.Shard;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * When a silent client is cut off, to the tick; {@link TestClient}s ask for a keep alive of 60 s.
 */
class KeepAliveTest {
    private static TestNode node(int keepAliveMaximum) {
        MqttSettings d = MqttSettings.DEFAULTS;
        MqttSettings mqtt =
                new MqttSettings(
                        d.receiveMaximum(),
                        d.topicAliasMaximum(),
                        d.topicAliasMaximumOutbound(),
                        d.maximumPacketSize(),
                        d.maximumQos(),
                        keepAliveMaximum,
                        d.retainAvailable(),
                        d.wildcardSubscriptions(),
                        d.sharedSubscriptions(),
                        d.subscriptionIdentifiers(),
                        d.sessionExpiryMaximum(),
                        d.sessionExpiry3x(),
                        d.inFlight3x(),
                        d.sharedStrategy(),
                        d.responseInformation(),
                        false);
        return new TestNode(1, mqtt, LimitSettings.DEFAULTS, OverloadSettings.DEFAULTS);
    }

    @ParameterizedTest
    @CsvSource({"0, 60", "600, 60", "10, 10"})
    void oneThatIsSilentForOneAndAHalfKeepAlivesIsCutOff(int maximum, int keepAlive) {
        TestNode node = node(maximum);
        TestClient client = node.open(0, ProtocolVersion.MQTT_5);
        client.connect("c", true, 0, 0);
        node.settle();
        assertSilenceEndsIt(node, client, keepAlive);
    }

    @ParameterizedTest
    @CsvSource({"0, 60", "10, 10"})
    void eachPacketBeginsItAnew(int maximum, int keepAlive) {
        TestNode node = node(maximum);
        TestClient client = node.open(0, ProtocolVersion.MQTT_5);
        client.connect("c", true, 0, 0);
        node.settle();
        for (int i = 0; i < 5; i++) {
            node.tick(keepAlive * 1_500L - Shard.TICK_MS);
            client.send(Packet.PingReq.INSTANCE);
            node.settle();
        }
        assertThat(client.wire.isClosed()).isFalse();
        assertSilenceEndsIt(node, client, keepAlive);
    }

    private static void assertSilenceEndsIt(TestNode node, TestClient client, int keepAlive) {
        node.tick(keepAlive * 1_500L - Shard.TICK_MS);
        assertThat(client.wire.isClosed()).isFalse();
        assertThat(node.count(Metric.KEEP_ALIVE_TIMEOUTS)).isZero();
        node.tick(2 * Shard.TICK_MS);
        assertThat(client.wire.isClosed()).isTrue();
        assertThat(node.count(Metric.KEEP_ALIVE_TIMEOUTS)).isEqualTo(1);
        assertThat(((Packet.Disconnect) client.packets().getLast()).reason())
                .isEqualTo(ReasonCode.KEEP_ALIVE_TIMEOUT);
    }
}
