package io.godwit.badinput;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.clients.GodwitProcess;
import java.io.IOException;
import java.net.SocketException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Packets that are small on the wire and large in memory, from clients that nobody knows. */
@Timeout(240)
class StrangerIT {
    /** The canary sings at least so often while this goes on. */
    private static final int SONGS = 10;

    private static final int NODE_MIB = 512;
    private static final int CONNECT = 0x10;
    private static final int SUBSCRIBE = 0x82;
    private static final int PACKET_BYTES = (16 << 20) - 100;

    @Test
    void connects_full_of_user_properties_are_not_taken_in() throws Exception {
        byte[] head = {0, 4, 'M', 'Q', 'T', 'T', 5, 2, 0, 0};
        byte[] tail = {0, 1, 'x'};
        byte[] properties = new byte[(PACKET_BYTES - 100) / 5 * 5];
        for (int i = 0; i < properties.length; i += 5) {
            properties[i] = 0x26;
        }
        int body = head.length + 4 + properties.length + tail.length;
        byte[] connect =
                Bytes.concat(
                        Bytes.lying(CONNECT, body, head),
                        Arrays.copyOfRange(Bytes.lying(0, properties.length), 1, 5),
                        properties,
                        tail);
        try (GodwitProcess broker =
                new GodwitProcess.Setup()
                        .nodeMib(NODE_MIB)
                        .set("security.anonymous=nobody")
                        .start()) {
            for (int i = 0; i < 4; i++) {
                try (RawClient stranger = RawClient.open(broker.port())) {
                    sendWhatIsTaken(stranger, connect);
                    stranger.expectEnd();
                }
            }
            assertThat(broker.isAlive()).as("%s", broker.story()).isTrue();
            assertThat(broker.counter("protocol.violations")).isEqualTo(4);
            assertThat(broker.residentMib()).isLessThan(NODE_MIB);
        }
    }

    @Test
    void a_subscribe_with_four_million_filters_ends_its_connection_and_harms_nobody()
            throws Exception {
        byte[] filters = new byte[PACKET_BYTES / 4 * 4];
        for (int i = 0; i < filters.length; i += 4) {
            filters[i + 1] = 1;
            filters[i + 2] = 'f';
        }
        byte[] subscribe =
                Bytes.concat(
                        Bytes.lying(SUBSCRIBE, 3 + filters.length, (byte) 0, (byte) 1, (byte) 0),
                        filters);
        try (GodwitProcess broker = new GodwitProcess.Setup().nodeMib(NODE_MIB).start();
                Canary canary = new Canary(broker.port())) {
            for (int i = 0; i < 4; i++) {
                try (RawClient client = RawClient.connected(broker.port(), "hoarder" + i)) {
                    sendWhatIsTaken(client, subscribe);
                    client.expectEnd();
                }
            }
            assertThat(broker.isAlive()).as("%s", broker.story()).isTrue();
            assertThat(broker.counter("subscribes")).isEqualTo(1); // the canary's
            assertThat(broker.residentMib()).isLessThan(NODE_MIB);
            canary.assertUnharmed(SONGS);
        }
    }

    private static void sendWhatIsTaken(RawClient client, byte[] bytes) throws IOException {
        try {
            client.send(bytes);
        } catch (SocketException closed) {
            // It has read enough.
        }
    }
}
