package io.godwit.durability;

import static io.godwit.durability.Clients.durable;
import static io.godwit.durability.Clients.publish;
import static io.godwit.durability.Clients.texts;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.wire.PublishBytes;
import io.godwit.conformance.wire.WireClient;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SyncPolicyIT {
    @ParameterizedTest
    @ValueSource(strings = {"interval", "os"})
    void kill_9_loses_nothing_acknowledged_though_the_disk_was_not_waited_for(
            String policy, @TempDir Path folder) {
        String longInterval = "durability.sync-interval=1h";
        try (Node node = new Node(folder, "durability.sync=" + policy, longInterval).up();
                Clients clients = node.clients()) {
            clients.away("s", "t", 1);
            WireClient publisher = clients.publisher("p");
            for (int i = 0; i < 200; i++) {
                publish(publisher, "t", 1, "m" + i);
            }
            publish(publisher, PublishBytes.v5("r").retain().payload("retained"), 1);

            node.kill();
            node.up();

            WireClient back = clients.resume(durable("s"));
            assertThat(texts(back, 200))
                    .isEqualTo(IntStream.range(0, 200).mapToObj(i -> "m" + i).toList());
            back.subscribe("r", 0).publish("retained");
            back.quiet();
        }
    }
}
