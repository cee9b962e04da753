package io.godwit.badinput;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.clients.GodwitProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Wills that were granted fit into memory at the next start, too, and are all there. */
@Timeout(120)
class GrantedWillsIT {
    private static final int NODE_MIB = 300;
    private static final int QUOTA_EXCEEDED = 0x97;

    /** Several times as many as the share of sessions holds. */
    private static final int MOST = 2_000;

    @Test
    void a_start_with_as_many_wills_of_many_properties_as_were_granted(@TempDir Path folder)
            throws Exception {
        byte[] properties = userProperties(500);
        int granted = 0;
        double chargedMib;
        try (GodwitProcess broker = setup(folder).start()) {
            while (connects(broker, "heir" + granted, properties)) {
                granted++;
                assertThat(granted).isLessThan(MOST);
            }
            chargedMib = chargedMib(broker);
            assertThat(granted * 50_000L / (1 << 20)).isBetween(10L, (long) chargedMib + 1);
            broker.kill();
        }
        try (GodwitProcess broker = setup(folder).start()) {
            assertThat(broker.story()).contains("Restored " + granted + " sessions");
            assertThat(broker.accountMib("sessions")).isBetween(chargedMib - 1, chargedMib + 1);
            assertThat(connects(broker, "one more", properties)).isFalse();
            assertThat(connects(broker, "heir0", properties)).as("has one").isTrue();
            assertThat(broker.residentMostMib()).isLessThanOrEqualTo(NODE_MIB);
        }
    }

    /** What the sessions are charged with: the account is as of its last look. */
    private static double chargedMib(GodwitProcess broker) throws InterruptedException {
        double charged = -1;
        for (int same = 0; same < 3; ) {
            double now = broker.accountMib("sessions");
            same = now == charged ? same + 1 : 0;
            charged = now;
            Thread.sleep(200);
        }
        return charged;
    }

    /** Of 100 bytes each. */
    private static byte[] userProperties(int count) {
        byte[] properties = new byte[count * 100];
        Arrays.fill(properties, (byte) 'x');
        for (int i = 0; i < properties.length; i += 100) {
            properties[i] = 0x26;
            properties[i + 1] = 0;
            properties[i + 2] = 45;
            properties[i + 48] = 0;
            properties[i + 49] = 50;
        }
        return properties;
    }

    private static GodwitProcess.Setup setup(Path folder) {
        return new GodwitProcess.Setup()
                .in(folder)
                .nodeMib(NODE_MIB)
                .set("durability.store=rocksdb")
                .set("log.level=info");
    }

    private static boolean connects(GodwitProcess broker, String clientId, byte[] properties)
            throws IOException {
        try (RawClient client = RawClient.open(broker.port())) {
            client.send(Bytes.connectWithLateWill(clientId, properties, new byte[1_000]));
            int code = client.readUntil(Bytes.CONNACK).int8(1);
            assertThat(code).isIn(0, QUOTA_EXCEEDED);
            return code == 0;
        }
    }
}
