package io.godwit.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.clients.Tool;
import io.godwit.core.packet.ProtocolVersion;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One round of what {@code ./godwit chaos kill --client paho_python} does for hours. */
@Tag("alone")
class LibraryStreamIT {
    @TempDir Path folder;

    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @EnumSource(names = {"MQTT_3_1_1", "MQTT_5"})
    void the_broker_keeps_qos_2_through_a_kill(ProtocolVersion version) throws IOException {
        Tool.require(
                LibraryStream.Library.sources("python/.venv/bin/python"),
                "run broker-server/src/test/install-client-tools");
        StreamJudge.Verdict verdict =
                LibraryStream.run(
                        LibraryStream.Library.PAHO_PYTHON,
                        version,
                        1_000,
                        1,
                        System.nanoTime() & 0xFFFF,
                        folder);
        assertThat(verdict.ofBroker()).as("%s", verdict).isEmpty();
        assertThat(verdict.acknowledged()).isGreaterThanOrEqualTo(1_000);
    }
}
