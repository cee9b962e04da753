package io.godwit.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.server.config.Config;
import io.godwit.server.config.ConfigLoader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A data folder of the build before this one, with sessions that have moved, were given away and
 * were set aside; and the export that it wrote. Both are recorded, since no code writes them any
 * more: see store-format-2.txt.
 */
class OlderDataFolderIT {
    private static final String SENTENCE =
            " has format 2, and this Godwit reads format 3: write it to a file with the older"
                    + " Godwit that made it (godwit store export FILE), move the folder away, and"
                    + " read the file with this one (godwit store import FILE).";

    @TempDir Path temp;

    private record Said(int exitCode, String text) {}

    private static InputStream recorded(String name) {
        return Objects.requireNonNull(OlderDataFolderIT.class.getResourceAsStream(name));
    }

    /** Unpacks the data folder. */
    private Path data() throws IOException {
        Path data = temp.resolve("data");
        try (ZipInputStream zip = new ZipInputStream(recorded("store-format-2.zip"))) {
            for (ZipEntry each = zip.getNextEntry(); each != null; each = zip.getNextEntry()) {
                Path file = data.resolve(each.getName());
                if (each.isDirectory()) {
                    Files.createDirectories(file);
                } else {
                    Files.createDirectories(Objects.requireNonNull(file.getParent()));
                    Files.write(file, zip.readAllBytes());
                }
            }
        }
        return data;
    }

    /** Every file with its bytes and the time of its last change; every folder. */
    private static Map<String, String> content(Path folder) throws IOException {
        Map<String, String> content = new TreeMap<>();
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path each : all.toList()) {
                content.put(
                        folder.relativize(each).toString(),
                        Files.isDirectory(each)
                                ? "folder"
                                : Files.getLastModifiedTime(each)
                                        + " "
                                        + HexFormat.of().formatHex(Files.readAllBytes(each)));
            }
        }
        return content;
    }

    private static Said godwit(List<String> arguments) {
        PrintStream out = System.out;
        PrintStream err = System.err;
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        PrintStream both = new PrintStream(said, true, StandardCharsets.UTF_8);
        System.setOut(both);
        System.setErr(both);
        try {
            int exitCode = Main.execute(arguments.toArray(String[]::new));
            return new Said(exitCode, said.toString(StandardCharsets.UTF_8));
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "store info --data DATA",
                "store sessions --data DATA",
                "store peek c1 --data DATA",
                "store verify --data DATA",
                "store verify c1 --data DATA",
                "store export - --data DATA",
                "store export - --store STORE",
                "store purge c1 --data DATA",
                "store set-aside --data DATA",
                "store set-aside c1 --data DATA",
                "store restore STORE --data OTHER",
                "run --check --set=node.data=DATA --set=listeners.mqtt.bind=127.0.0.1:0"
                        + " --set=listeners.ws.bind=127.0.0.1:0 --set=admin.bind=127.0.0.1:0"
            })
    void data_folder_of_the_build_before_is_refused_by_each_command_and_not_changed(String command)
            throws Exception {
        Path data = data();
        Path store = data.resolve("store");
        Map<String, String> before = content(data);
        List<String> arguments = new ArrayList<>();
        for (String each : command.split(" ", -1)) {
            arguments.add(
                    each.replace("DATA", data.toString())
                            .replace("STORE", store.toString())
                            .replace("OTHER", temp.resolve("other").toString()));
        }
        Said said = godwit(arguments);
        assertThat(said.exitCode()).isEqualTo(1);
        assertThat(said.text().strip())
                .endsWith("the store in " + store + SENTENCE)
                .hasLineCount(1);
        assertSame(content(data), before);
        assertThat(temp.resolve("other/store")).doesNotExist();
    }

    /** Nothing was changed, and added only where RocksDB's library goes and who has the folder. */
    private static void assertSame(Map<String, String> after, Map<String, String> before) {
        after.keySet().removeIf(name -> name.equals("lock") || name.matches("native(/.*)?"));
        assertThat(after).isEqualTo(before);
    }

    @Test
    void data_folder_of_the_build_before_is_refused_by_a_start_and_not_changed() throws Exception {
        Path data = data();
        Map<String, String> before = content(data);
        Config config = ConfigLoader.load(null, Map.of(), BrokerFixture.settings(temp));
        assertThatThrownBy(() -> Server.start(config))
                .isInstanceOf(StartFailed.class)
                .hasMessage("the store in " + data.resolve("store") + SENTENCE);
        assertSame(content(data), before);
    }

    @Test
    @Timeout(120)
    void broker_that_finds_a_data_folder_of_the_build_before_ends_with_one_sentence_and_code_1()
            throws Exception {
        Path data = data();
        Map<String, String> before = content(data);
        List<String> command = new ArrayList<>(BrokerJvm.command(BrokerJvm.QUICK));
        command.addAll(List.of("io.godwit.server.Main", "run"));
        BrokerFixture.settings(temp).forEach(each -> command.add("--set=" + each));
        Process broker = new ProcessBuilder(command).redirectErrorStream(true).start();
        try {
            String said =
                    new String(broker.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(broker.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(said.strip())
                    .endsWith("the store in " + data.resolve("store") + SENTENCE)
                    .hasLineCount(1);
            assertThat(broker.exitValue()).isEqualTo(1);
        } finally {
            broker.destroyForcibly();
        }
        assertSame(content(data), before);
    }

    @Test
    @Timeout(120)
    void sessions_of_an_export_of_the_build_before_are_served_but_those_that_another_node_has()
            throws Exception {
        Path file = temp.resolve("older.jsonl");
        Files.write(file, recorded("store-format-2.jsonl").readAllBytes());
        String data = temp.resolve("data").toString();
        Said imported = godwit(List.of("store", "import", file.toString(), "--data", data));
        assertThat(imported.text()).startsWith("imported 24 records");
        assertThat(imported.exitCode()).isZero();
        assertThat(godwit(List.of("store", "verify", "--data", data)).text())
                .startsWith("The store is intact");
        assertThat(godwit(List.of("store", "sessions", "--client", "c1", "--data", data)).text())
                .contains(" will=yes ", " expiry=never ", " messages=3 ", " in-flight=1 ")
                .doesNotContain("set-aside");
        assertThat(godwit(List.of("store", "info", "--data", data)).text())
                .contains("sessions            4 (2 set aside)");

        Config config = ConfigLoader.load(null, Map.of(), BrokerFixture.settings(temp));
        try (Server server = Server.start(config)) {
            assertThat(received(server, "c1", 3))
                    .containsExactly("in flight of 1", "row of 1", "journaled of 1");
            assertThat(received(server, "c2", 2)).containsExactly("row of 2", "journaled of 2");
            assertThat(received(server, "c3", 0)).as("another node has it").isEmpty();
            assertThat(received(server, "c4", 0)).as("it was set aside").isEmpty();
        }
        String kept = godwit(List.of("store", "export", "-", "--data", data)).text();
        assertThat(kept)
                .startsWith("{\"type\":\"store\",\"format\":\"godwit-store\",\"version\":3,");
        for (String text : List.of("row of 3", "journaled of 3", "row of 4", "journaled of 4")) {
            assertThat(kept).contains("\"payload\":\"" + base64(text) + '"');
        }
    }

    @Test
    @Timeout(120)
    void session_that_is_set_aside_is_exported_imported_and_shown_beside_the_one_that_is_served()
            throws Exception {
        Path older = temp.resolve("older.jsonl");
        Files.write(older, recorded("store-format-2.jsonl").readAllBytes());
        String data = temp.resolve("data").toString();
        assertThat(godwit(List.of("store", "import", older.toString(), "--data", data)).exitCode())
                .isZero();
        assertThat(godwit(List.of("store", "peek", "c4", "--data", data)).text())
                .as("the client has no other session")
                .hasLineCount(2);
        Config config = ConfigLoader.load(null, Map.of(), BrokerFixture.settings(temp));
        try (Server server = Server.start(config)) {
            assertThat(received(server, "c4", 0)).isEmpty(); // Begins a session of its own.
        }
        Path file = temp.resolve("export.jsonl");
        assertThat(godwit(List.of("store", "export", file.toString(), "--data", data)).exitCode())
                .isZero();
        String other = temp.resolve("other").toString();
        assertThat(godwit(List.of("store", "import", file.toString(), "--data", other)).exitCode())
                .isZero();
        for (String each : List.of(data, other)) {
            String lines =
                    godwit(List.of("store", "sessions", "--client", "c4", "--data", each)).text();
            assertThat(lines).hasLineCount(2);
            assertThat(lines.lines().filter(line -> line.contains(" set-aside=yes ")))
                    .singleElement()
                    .asString()
                    .contains(" queue=0000070000000004 ", " subscriptions=1 ", " messages=2 ");
            assertThat(godwit(List.of("store", "peek", "c4", "--data", each)).text())
                    .as("the session that is served has no messages")
                    .isEmpty();
            assertThat(godwit(List.of("store", "purge", "c4", "--data", each)).text())
                    .isEqualTo("deleted 0 messages\n");
            assertThat(
                            godwit(
                                            List.of(
                                                    "store",
                                                    "peek",
                                                    "--queue",
                                                    "0000070000000004",
                                                    "--payload",
                                                    "--data",
                                                    each))
                                    .text())
                    .contains("payload=" + base64("row of 4"))
                    .contains("payload=" + base64("journaled of 4"));
        }
        assertThat(Files.readAllLines(file).stream().filter(line -> line.contains("\"c4\"")))
                .anyMatch(line -> line.contains("\"setAside\":true"))
                .anyMatch(line -> line.contains("\"setAside\":false"));
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Connects, and returns the payloads of so many messages; a session is here exactly when some
     * are expected.
     */
    private static List<String> received(Server server, String clientId, int messages)
            throws IOException {
        List<String> texts = new ArrayList<>();
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port("mqtt"))) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write(RawMqtt.connectDurable(clientId));
            byte[] connack = RawMqtt.read(socket);
            assertThat(connack).containsExactly(0x20, 2, messages == 0 ? 0 : 1, 0);
            while (texts.size() < messages) {
                byte[] packet = RawMqtt.read(socket);
                assertThat(packet[0] & 0xF0).isEqualTo(0x30);
                int at = 4 + packet[3] + 2; // Remaining length in one byte, topic, packet id.
                texts.add(new String(packet, at, packet.length - at, StandardCharsets.UTF_8));
            }
        }
        return texts;
    }
}
