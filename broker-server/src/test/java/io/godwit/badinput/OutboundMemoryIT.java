package io.godwit.badinput;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.clients.GodwitProcess;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many subscribers that stop reading, each below its own bound: together they fill no memory. */
@Timeout(240)
class OutboundMemoryIT {
    /** The canary sings at least so often while this goes on. */
    private static final int SONGS = 10;

    private static final int NODE_MIB = 512;

    /** Each shard's copy of the MiB that a subscriber may hold, and what each holds beside it. */
    private static final double OUTBOUND_MIB = 18;

    private static final int SMALL_BUFFER = 16 << 10;

    private static List<RawClient> deafSubscribers(GodwitProcess broker, int count, int qos)
            throws Exception {
        List<RawClient> deaf = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            RawClient client = RawClient.open(broker.port(), SMALL_BUFFER);
            client.connect("deaf" + i);
            client.subscribe("flood", qos);
            deaf.add(client);
        }
        return deaf;
    }

    private static void close(List<RawClient> clients) throws Exception {
        for (RawClient client : clients) {
            client.close();
        }
    }

    @Test
    void three_hundred_that_stop_reading_qos_0_do_not_end_the_broker() throws Exception {
        try (GodwitProcess broker = new GodwitProcess.Setup().nodeMib(NODE_MIB).start();
                Canary canary = new Canary(broker.port());
                RawClient reader = RawClient.connected(broker.port(), "reader");
                RawClient publisher = RawClient.connected(broker.port(), "publisher")) {
            List<RawClient> deaf = deafSubscribers(broker, 300, 0);
            reader.subscribe("end", 1);
            byte[] message = Bytes.publish("flood", new byte[20_000], 0, 0);
            for (int i = 0; i < 500; i++) {
                publisher.send(message);
            }
            publisher.send(Bytes.publish("end", new byte[1], 1, 1));
            publisher.readUntil(Bytes.PUBACK);
            reader.readUntil(Bytes.PUBLISH);

            assertThat(broker.isAlive()).as("%s", broker.story()).isTrue();
            assertThat(broker.counter("faults")).as("%s", broker.story()).isZero();
            assertThat(broker.residentMib()).isLessThan(NODE_MIB);
            assertThat(broker.counter("closed.outbound")).isZero();
            assertThat(broker.counter("dropped.qos0.slow")).isPositive();
            assertThat(broker.accountMib("outbound")).isLessThan(OUTBOUND_MIB);
            canary.assertUnharmed(SONGS);
            close(deaf);
        }
    }

    @Test
    void two_hundred_that_stop_reading_large_messages_do_not_end_the_broker() throws Exception {
        try (GodwitProcess broker = new GodwitProcess.Setup().nodeMib(NODE_MIB).start();
                Canary canary = new Canary(broker.port());
                RawClient publisher = RawClient.connected(broker.port(), "publisher")) {
            List<RawClient> deaf = deafSubscribers(broker, 200, 0);
            for (int i = 0; i < 5; i++) {
                publisher.send(Bytes.publish("flood", new byte[10 << 20], 0, 0));
                Thread.sleep(200);
            }
            publisher.send(Bytes.publish("nobody", new byte[1], 1, 1));
            publisher.readUntil(Bytes.PUBACK);

            assertThat(broker.isAlive()).as("%s", broker.story()).isTrue();
            assertThat(broker.counter("faults")).as("%s", broker.story()).isZero();
            assertThat(broker.residentMib()).isLessThan(NODE_MIB);
            canary.assertUnharmed(SONGS);
            close(deaf);
        }
    }
}
