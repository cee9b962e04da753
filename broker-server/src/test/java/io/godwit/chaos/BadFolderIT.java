package io.godwit.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.server.BrokerProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Places where no store can be: the broker says what is wrong with them and ends with 1. */
class BadFolderIT {
    @TempDir Path folder;

    @BeforeEach
    void mounting() {
        NativeTools.need(Mount.problem());
    }

    private static String refused(BrokerProcess broker) {
        String output = String.join("\n", broker.output());
        assertThat(broker.isReady()).as(output).isFalse();
        assertThat(broker.exitCode()).as(output).isEqualTo(1);
        assertThat(output).doesNotContain("is ready", "\tat ", "Exception in thread");
        return output;
    }

    @Test
    void a_folder_that_is_read_only() {
        try (Mount disk = Mount.tmpfs(folder, "size=64m")) {
            try (BrokerProcess first = setup().start()) {
                assertThat(first.readyLine()).contains("ready");
                first.terminate();
                assertThat(first.exitCode()).isZero();
            }
            disk.remount("ro");
            try (BrokerProcess second = setup().start()) {
                assertThat(refused(second)).contains("node.data", folder.toString());
                assertThat(refused(second)).containsIgnoringCase("read-only");
            }
            disk.remount("rw");
            try (BrokerProcess third = setup().start()) {
                assertThat(third.readyLine()).contains("ready");
            }
        }
    }

    @Test
    void a_folder_that_another_broker_has() {
        try (BrokerProcess first = setup().start();
                BrokerProcess second = setup().start()) {
            assertThat(first.readyLine()).contains("ready");
            assertThat(refused(second))
                    .contains(
                            "node.data",
                            folder.resolve("data").toString(),
                            "process " + first.process().pid());
            assertThat(first.process().isAlive()).isTrue();
        }
    }

    @Test
    void folders_that_allow_no_programs() throws Exception {
        try (Mount noexec = Mount.tmpfs(folder, "size=200m,noexec")) {
            Path temporary = Files.createDirectory(noexec.folder().resolve("tmp"));
            String unpacked = "-Djava.library.path=" + noexec.folder(); // Not there: it unpacks.
            List<String> flags = List.of("-Xmx128m", unpacked, "-Djava.io.tmpdir=" + temporary);
            try (BrokerProcess broker = setup().jvmFlags(flags).start()) {
                assertThat(refused(broker))
                        .contains("RocksDB", "java.io.tmpdir", temporary.toString(), "noexec");
            }
            flags = List.of("-Xmx128m", unpacked); // the usual one allows them, which is enough
            try (BrokerProcess broker = setup().jvmFlags(flags).start()) {
                assertThat(broker.readyLine()).contains("ready");
            }
        }
    }

    private BrokerProcess.Setup setup() {
        return new BrokerProcess.Setup().in(folder);
    }
}
