package io.godwit.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.server.config.ConfigLoader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands {@code godwit store ...} on the store of a real broker. */
class StoreToolIT {
    private static final int BEFORE = 300;

    @TempDir Path temp;

    private record Said(int exitCode, String out, String err) {}

    private static Said godwit(String... arguments) {
        PrintStream out = System.out;
        PrintStream err = System.err;
        ByteArrayOutputStream outBytes = new ByteArrayOutputStream();
        ByteArrayOutputStream errBytes = new ByteArrayOutputStream();
        System.setOut(new PrintStream(outBytes, true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(errBytes, true, StandardCharsets.UTF_8));
        try {
            int exitCode = Main.execute(arguments);
            return new Said(
                    exitCode,
                    outBytes.toString(StandardCharsets.UTF_8),
                    errBytes.toString(StandardCharsets.UTF_8));
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
    }

    private static Server broker(Path folder, String... more) throws Exception {
        List<String> settings =
                BrokerFixture.settings(
                        folder,
                        "durability.store=rocksdb",
                        "store.backup-folder=" + folder.resolve("backups"));
        settings.addAll(List.of(more));
        return Server.start(ConfigLoader.load(null, Map.of(), settings));
    }

    /** A node of a cluster that has no other. */
    private static Server node(Path folder) throws Exception {
        return broker(folder, "cluster.enabled=true", "cluster.bind=127.0.0.1:" + freePort());
    }

    private static int freePort() throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        }
    }

    private static Socket client(Server server, String id) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port("mqtt"));
        socket.setSoTimeout(60_000);
        socket.setTcpNoDelay(true);
        socket.getOutputStream().write(RawMqtt.connectDurable(id));
        assertThat(RawMqtt.read(socket)[0]).isEqualTo((byte) 0x20);
        return socket;
    }

    private static void subscribed(Server server, String id) throws IOException {
        try (Socket socket = client(server, id)) {
            socket.getOutputStream().write(RawMqtt.subscribe(RawMqtt.V311, "t/#"));
            assertThat(RawMqtt.read(socket)[0]).isEqualTo((byte) 0x90);
        }
    }

    private static void publish(Socket publisher, int number) throws IOException {
        publisher
                .getOutputStream()
                .write(
                        RawMqtt.publishQos1(
                                "t/" + number % 7,
                                number % 60_000 + 1,
                                ("m" + number).getBytes(StandardCharsets.UTF_8)));
        assertThat(RawMqtt.read(publisher)[0]).isEqualTo((byte) 0x40);
    }

    /** Takes what waits for a client until this has come. */
    private static Set<String> drained(Server server, String id, String last) throws IOException {
        Set<String> texts = new LinkedHashSet<>();
        try (Socket socket = client(server, id)) {
            while (!texts.contains(last)) {
                byte[] packet = RawMqtt.read(socket);
                assertThat(packet[0] & 0xF0).isEqualTo(0x30);
                // Topic t/n, below 128 bytes: length in one byte.
                int at = 4 + packet[3];
                socket.getOutputStream().write(new byte[] {0x40, 2, packet[at], packet[at + 1]});
                texts.add(
                        new String(packet, at + 2, packet.length - at - 2, StandardCharsets.UTF_8));
            }
        }
        return texts;
    }

    @Test
    void a_backup_while_clients_publish_has_all_that_was_acknowledged_before() throws Exception {
        Path live = temp.resolve("live");
        Path backup = live.resolve("backups/monday");
        AtomicInteger acknowledged = new AtomicInteger();
        try (Server server = broker(live)) {
            subscribed(server, "reader");
            AtomicBoolean stop = new AtomicBoolean();
            CountDownLatch enough = new CountDownLatch(BEFORE);
            List<Throwable> failures = new ArrayList<>();
            Thread publisher =
                    Thread.ofPlatform()
                            .start(() -> {
                                try (Socket socket = client(server, "writer")) {
                                    for (int i = 0; !stop.get(); i++) {
                                        publish(socket, i);
                                        acknowledged.set(i + 1);
                                        enough.countDown();
                                    }
                                } catch (IOException | AssertionError e) {
                                    failures.add(e);
                                }
                            });
            enough.await();
            int before = acknowledged.get();
            Said said =
                    godwit(
                            "store",
                            "backup",
                            "monday",
                            "--admin",
                            "127.0.0.1:" + server.adminPort());
            int after = acknowledged.get();
            stop.set(true);
            publisher.join();

            assertThat(failures).isEmpty();
            assertThat(said.err()).isEmpty();
            assertThat(said.out()).contains("\"folder\":\"" + backup);
            assertThat(after).as("published meanwhile").isGreaterThan(before);
            assertThat(godwit("store", "info", "--data", live.resolve("data").toString()).err())
                    .contains("A running broker uses the folder")
                    .contains("process " + ProcessHandle.current().pid());
            assertThat(
                            godwit(
                                            "store",
                                            "purge",
                                            "reader",
                                            "--data",
                                            live.resolve("data").toString())
                                    .err())
                    .contains("A running broker uses the folder");
            acknowledged.set(before);
        }
        assertThat(godwit("store", "verify", "--store", backup.toString()).out())
                .startsWith("The store is intact");
        Path data = temp.resolve("restored/data");
        assertThat(
                        godwit("store", "restore", backup.toString(), "--data", data.toString())
                                .exitCode())
                .isZero();
        try (Server restored = broker(temp.resolve("restored"))) {
            Set<String> texts = drained(restored, "reader", "m" + (acknowledged.get() - 1));
            for (int i = 0; i < acknowledged.get(); i++) {
                assertThat(texts).contains("m" + i);
            }
        }
        assertThat(Files.readString(data.resolve("server-id")))
                .isNotEqualTo(Files.readString(live.resolve("data/server-id")));
        assertThat(godwit("store", "restore", backup.toString(), "--data", data.toString()).err())
                .contains("there is a store in");
    }

    @Test
    void a_backup_is_made_below_its_folder_only_and_where_nothing_is() throws Exception {
        Path live = temp.resolve("live");
        Path backups = live.resolve("backups");
        try (Server server = broker(live)) {
            assertThat(backup(server, "tuesday")).isEqualTo(200);
            assertThat(backups.resolve("tuesday")).isDirectory();
            assertThat(backup(server, backups.resolve("absolute").toString())).isEqualTo(200);
            assertThat(backup(server, "tuesday")).as("exists").isEqualTo(400);
            assertThat(backup(server, "no/such/parent")).isEqualTo(400);
            assertThat(backup(server, "tuesday/within")).isEqualTo(200);
            assertThat(backup(server, "")).isEqualTo(403);
            assertThat(backup(server, ".")).isEqualTo(403);
            assertThat(backup(server, "../elsewhere")).isEqualTo(403);
            assertThat(backup(server, temp.resolve("elsewhere").toString())).isEqualTo(403);
            Files.createSymbolicLink(backups.resolve("link"), temp);
            assertThat(backup(server, "link/elsewhere")).isEqualTo(403);
            assertThat(temp.resolve("elsewhere")).doesNotExist();
        }
        try (BrokerFixture memory = BrokerFixture.start("durability.store=memory")) {
            assertThat(backup(memory.server(), "x")).isEqualTo(409);
        }
    }

    @Test
    void a_backup_is_never_made_in_the_store_itself() throws Exception {
        Path live = temp.resolve("live");
        try (Server server =
                Server.start(
                        ConfigLoader.load(
                                null,
                                Map.of(),
                                BrokerFixture.settings(
                                        live,
                                        "durability.store=rocksdb",
                                        "store.backup-folder=" + live)))) {
            assertThat(backup(server, "data/store/x")).isEqualTo(403);
            Files.createSymbolicLink(live.resolve("link"), live.resolve("data/store"));
            assertThat(backup(server, "link/x")).isEqualTo(403);
            assertThat(live.resolve("data/store/x")).doesNotExist();
        }
    }

    private static int backup(Server server, String to) throws Exception {
        String query = "?to=" + URLEncoder.encode(to, StandardCharsets.UTF_8);
        return post(server, query, "Godwit-Command", "backup");
    }

    private static int post(Server server, String query, String header, String value)
            throws Exception {
        try (HttpClient http = HttpClient.newHttpClient()) {
            URI uri =
                    URI.create("http://127.0.0.1:" + server.adminPort() + "/store/backup" + query);
            return http.send(
                            HttpRequest.newBuilder(uri)
                                    .header(header, value)
                                    .POST(HttpRequest.BodyPublishers.noBody())
                                    .build(),
                            HttpResponse.BodyHandlers.discarding())
                    .statusCode();
        }
    }

    @Test
    void what_is_exported_and_imported_is_delivered() throws Exception {
        Path live = temp.resolve("live");
        try (Server server = broker(live)) {
            subscribed(server, "reader \"1\"");
            subscribed(server, "other");
            try (Socket writer = client(server, "writer")) {
                for (int i = 0; i < 30; i++) {
                    publish(writer, i);
                }
            }
        }
        String data = live.resolve("data").toString();
        Path file = temp.resolve("export.jsonl");
        assertThat(godwit("store", "export", file.toString(), "--data", data).exitCode()).isZero();
        Path imported = temp.resolve("imported/data");
        Said said = godwit("store", "import", file.toString(), "--data", imported.toString());
        assertThat(said.err()).isEmpty();
        assertThat(said.exitCode()).isZero();
        assertThat(lines(godwit("store", "export", "-", "--data", imported.toString()).out()))
                .isEqualTo(lines(Files.readString(file)))
                .hasSizeGreaterThan(60);
        assertThat(godwit("store", "verify", "--data", imported.toString()).exitCode()).isZero();

        Said sessions =
                godwit("store", "sessions", "--client", "other", "--data", imported.toString());
        assertThat(sessions.out())
                .startsWith("client=\"other\" queue=")
                .contains(" subscriptions=1 ")
                .contains(" messages=30 ");
        Said peek =
                godwit(
                        "store",
                        "peek",
                        "other",
                        "--limit",
                        "2",
                        "--payload",
                        "--data",
                        imported.toString());
        assertThat(peek.out().lines()).hasSize(2);
        assertThat(peek.out()).contains("topic=\"t/0\" bytes=2 payload=bTA=");
        assertThat(godwit("store", "info", "--data", imported.toString()).out())
                .contains("queued messages     60");
        assertThat(godwit("store", "purge", "other", "--data", imported.toString()).out())
                .isEqualTo("deleted 30 messages\n");
        try (Server server = broker(temp.resolve("imported"))) {
            assertThat(drained(server, "reader \"1\"", "m29")).hasSize(30);
        }
        Path half = temp.resolve("half.jsonl");
        List<String> all = Files.readAllLines(file);
        Files.write(half, all.subList(0, all.size() - 1));
        assertThat(
                        godwit(
                                        "store",
                                        "import",
                                        half.toString(),
                                        "--data",
                                        temp.resolve("h").toString())
                                .err())
                .contains("its last line is missing");
        assertThat(temp.resolve("h/store")).doesNotExist();
    }

    @Test
    void node_of_a_cluster_delivers_what_was_exported_and_imported_in_its_data_folder()
            throws Exception {
        Path data = dataOfNode();
        Path file = temp.resolve("export.jsonl");
        assertThat(godwit("store", "export", file.toString(), "--data", data.toString()).exitCode())
                .isZero();
        Files.move(data.resolve("store"), temp.resolve("old"));
        Said said = godwit("store", "import", file.toString(), "--data", data.toString());
        assertThat(said.exitCode()).as(said.err()).isZero();
        try (Server server = node(temp.resolve("live"))) {
            assertThat(drained(server, "reader", "m4")).hasSize(5);
        }
    }

    @Test
    void node_of_a_cluster_delivers_what_was_restored_in_its_data_folder() throws Exception {
        Path data = dataOfNode();
        Files.move(data.resolve("store"), temp.resolve("old"));
        String backup = temp.resolve("live/backups/monday").toString();
        Said said = godwit("store", "restore", backup, "--data", data.toString());
        assertThat(said.exitCode()).as(said.err()).isZero();
        try (Server server = node(temp.resolve("live"))) {
            assertThat(drained(server, "reader", "m4")).hasSize(5);
        }
    }

    @Test
    void node_of_a_cluster_whose_store_was_given_up_begins_new_sessions() throws Exception {
        Path data = dataOfNode();
        Said said = godwit("store", "set-aside", "--all", "--data", data.toString());
        assertThat(said.exitCode()).as(said.err()).isZero();
        try (Server server = node(temp.resolve("live"))) {
            subscribed(server, "reader");
        }
    }

    /**
     * Data folder of a node that has led its slots, with a session for which five messages wait,
     * and a backup of it.
     */
    private Path dataOfNode() throws Exception {
        Path live = temp.resolve("live");
        try (Server server = node(live)) {
            subscribed(server, "reader");
            try (Socket writer = client(server, "writer")) {
                for (int i = 0; i < 5; i++) {
                    publish(writer, i);
                }
            }
            assertThat(backup(server, "monday")).isEqualTo(200);
        }
        return live.resolve("data");
    }

    /** But for the first one: it counts starts. */
    private static List<String> lines(String export) {
        List<String> lines = export.lines().toList();
        return lines.subList(1, lines.size());
    }

    @Test
    void after_set_aside_the_broker_starts_and_delivers_what_was_readable() throws Exception {
        Path live = temp.resolve("live");
        try (Server server = broker(live)) {
            subscribed(server, "reader");
            try (Socket writer = client(server, "writer")) {
                for (int i = 0; i < 20; i++) {
                    publish(writer, i);
                }
            }
        }
        Path journal = live.resolve("data/store/journal/segments");
        Files.writeString(journal, "nonsense");
        String data = live.resolve("data").toString();
        assertThat(godwit("store", "verify", "--data", data).exitCode()).isEqualTo(1);

        Said said = godwit("store", "set-aside", "--data", data);

        assertThat(said.exitCode()).as(said.err()).isZero();
        assertThat(said.out())
                .contains("Given up: the journal is damaged: its file segments can't be read.")
                .contains("store.aside-");
        assertThat(godwit("store", "verify", "--data", data).out())
                .startsWith("The store is intact");
        try (Server server = broker(live)) {
            assertThat(drained(server, "reader", "m19")).hasSize(20);
        }
    }
}
