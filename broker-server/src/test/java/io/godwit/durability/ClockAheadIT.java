package io.godwit.durability;

import static io.godwit.durability.Clients.durable;
import static io.godwit.durability.Clients.publish;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.wire.Props;
import io.godwit.conformance.wire.PublishBytes;
import io.godwit.server.BrokerFixture;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A machine that starts with the year 2046 and is corrected soon ends nobody's session by that. */
class ClockAheadIT {
    private static final long TWENTY_YEARS_MS = TimeUnit.DAYS.toMillis(20 * 365);

    @TempDir Path folder;
    private final AtomicLong aheadMs = new AtomicLong();

    private BrokerFixture start() {
        return BrokerFixture.start(
                () -> System.currentTimeMillis() + aheadMs.get(),
                "durability.store=rocksdb",
                "durability.window=100ms",
                "durability.ballast=0",
                "durability.disk-free=64MiB",
                "session.clock-hold=1h",
                "node.data=" + folder);
    }

    @Test
    void a_start_years_ahead_that_is_corrected_expires_neither_sessions_nor_messages()
            throws Exception {
        try (BrokerFixture broker = start();
                Clients clients = new Clients(broker::port)) {
            clients.connect(durable("s", 3600)).subscribe("t", 1).disconnect();
            publish(
                    clients.publisher("p"),
                    PublishBytes.v5("t").payload("kept").properties(Props.messageExpiry(3600)),
                    1);
            publish(
                    clients.publisher("r"),
                    PublishBytes.v5("t")
                            .retain()
                            .payload("retained")
                            .properties(Props.messageExpiry(3600)),
                    1);
        }
        aheadMs.set(TWENTY_YEARS_MS);
        try (BrokerFixture broker = start();
                Clients clients = new Clients(broker::port)) {
            clients.connect(durable("other", 3600)).disconnect();
            TimeUnit.MILLISECONDS.sleep(1_500); // longer than any sweep
            assertThat(new Admin(broker.adminPort()).metric("sessions_expired_total")).isZero();
            aheadMs.set(0);
        }
        try (BrokerFixture broker = start();
                Clients clients = new Clients(broker::port)) {
            var client = clients.resume(durable("s", 3600));
            client.publish("kept");
            client.publish("retained");
            assertThat(clients.connect(durable("new", 60)).subscribe("t", 1).publish().text())
                    .isEqualTo("retained");
        }
    }
}
