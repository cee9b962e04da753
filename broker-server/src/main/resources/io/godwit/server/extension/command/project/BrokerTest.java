package @package@;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.godwit.testkit.GodwitKit;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.eclipse.paho.mqttv5.client.IMqttToken;
import org.eclipse.paho.mqttv5.client.MqttCallback;
import org.eclipse.paho.mqttv5.client.MqttClient;
import org.eclipse.paho.mqttv5.client.MqttConnectionOptions;
import org.eclipse.paho.mqttv5.client.MqttDisconnectResponse;
import org.eclipse.paho.mqttv5.client.persist.MemoryPersistence;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.eclipse.paho.mqttv5.common.packet.MqttProperties;
import org.eclipse.paho.mqttv5.common.packet.UserProperty;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The extension in a broker, with clients of a client library. */
class BrokerTest {
    @RegisterExtension
    static final GodwitKit broker =
            GodwitKit.with("@id@", Main.class).config("password", "secret");

    private static MqttClient client(String id) throws MqttException {
        String address = "tcp://" + broker.host() + ":" + broker.port();
        return new MqttClient(address, id, new MemoryPersistence());
    }

    private static void connect(MqttClient client, String password) throws MqttException {
        MqttConnectionOptions options = new MqttConnectionOptions();
        options.setUserName("demo");
        options.setPassword(password.getBytes(UTF_8));
        client.connect(options);
    }

    @Test
    void client_with_another_password_is_refused() throws MqttException {
        MqttClient client = client("c1");
        MqttException refused =
                assertThrows(MqttException.class, () -> connect(client, "wrong"));
        assertEquals(0x86, refused.getReasonCode());
        client.close();
        assertEquals(1, broker.calls("authenticate").size());
    }

    @Test
    void message_names_its_sender() throws Exception {
        MqttClient client = client("c1");
        Received received = new Received();
        client.setCallback(received);
        connect(client, "secret");
        client.subscribe("room/#", 1);
        client.publish("room/1", "21".getBytes(UTF_8), 1, false);
        MqttMessage message = received.messages.poll(10, TimeUnit.SECONDS);
        assertNotNull(message);
        List<UserProperty> properties = message.getProperties().getUserProperties();
        assertEquals(List.of(new UserProperty("sender", "c1")), properties);
        client.disconnect();
        client.close();
    }

    /** What a client has received. */
    private static final class Received implements MqttCallback {
        private final BlockingQueue<MqttMessage> messages = new LinkedBlockingQueue<>();

        @Override
        public void messageArrived(String topic, MqttMessage message) {
            messages.add(message);
        }

        @Override
        public void disconnected(MqttDisconnectResponse response) {}

        @Override
        public void mqttErrorOccurred(MqttException exception) {}

        @Override
        public void deliveryComplete(IMqttToken token) {}

        @Override
        public void connectComplete(boolean reconnect, String uri) {}

        @Override
        public void authPacketArrived(int reasonCode, MqttProperties properties) {}
    }
}
