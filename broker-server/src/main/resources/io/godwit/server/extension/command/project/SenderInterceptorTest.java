package @package@;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.godwit.extension.client.Client;
import io.godwit.extension.client.Origin;
import io.godwit.extension.intercept.Interception;
import io.godwit.extension.packet.MqttVersion;
import io.godwit.extension.packet.PublishPacket;
import io.godwit.extension.packet.UserProperty;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SenderInterceptorTest {
    private static final Client CLIENT =
            new Client(
                    "c1",
                    MqttVersion.V5,
                    "demo",
                    List.of(),
                    Map.of(),
                    new Origin("127.0.0.1:50000", "mqtt", false, null));

    @Test
    void message_names_its_sender_whatever_the_client_has_written() {
        PublishPacket sent =
                PublishPacket.to("room/1")
                        .text("21")
                        .userProperties(
                                List.of(
                                        new UserProperty("unit", "C"),
                                        new UserProperty("sender", "somebody else")))
                        .build();
        Interception<PublishPacket> answer =
                new SenderInterceptor(new Settings("demo", null, "sender"))
                        .onPublish(CLIENT, sent)
                        .toCompletableFuture()
                        .join();
        PublishPacket changed =
                (PublishPacket) assertInstanceOf(Interception.Changed.class, answer).packet();
        assertEquals("room/1", changed.topic());
        assertEquals("21", changed.payload().text());
        assertEquals(
                List.of(new UserProperty("unit", "C"), new UserProperty("sender", "c1")),
                changed.userProperties());
    }
}
