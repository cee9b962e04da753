package io.godwit.durability;

import static io.godwit.durability.Clients.durable;
import static io.godwit.durability.Clients.publish;
import static io.godwit.durability.Clients.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.godwit.chaos.Mount;
import io.godwit.chaos.NativeTools;
import io.godwit.conformance.wire.ConnectBytes;
import io.godwit.conformance.wire.PublishBytes;
import io.godwit.conformance.wire.WireClient;
import io.godwit.server.RawMqtt;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A disk that devices fill which connect, publish one large message each and leave. */
@Tag("alone")
class DiskAlarmIT {
    private static final int DISK_MIB = 420;
    private static final int FILLER_MIB = 64;
    private static final int ALARM_MIB = 128;
    private static final int PAYLOAD = 2 << 20;

    /** What they publish is more than is free at the alarm. */
    private static final int DEVICES = 72;

    /** Devices that come when the disk is at rest. */
    private static final int LATE_DEVICES = 16;

    private static final int AT_ONCE = 8;

    @TempDir Path folder;

    /** Begins with the name and a line feed; the rest can't be compressed. */
    private static byte[] payload(String name) {
        byte[] filled = new byte[PAYLOAD];
        new SplittableRandom(name.hashCode()).nextBytes(filled);
        byte[] text = (name + "\n").getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(text, 0, filled, 0, text.length);
        return filled;
    }

    /** Whether it got its PUBACK within the second that it waits. */
    private static boolean device(int port, String name) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write(RawMqtt.connect(RawMqtt.V311, name));
            socket.getInputStream().readNBytes(4);
            // Much of it stands in the kernel's buffers when it is not read; the rest never leaves.
            Thread sending =
                    Thread.ofVirtual()
                            .start(() -> send(socket, RawMqtt.publishQos1("t", 1, payload(name))));
            socket.setSoTimeout(1_000);
            try {
                return socket.getInputStream().readNBytes(4).length == 4;
            } catch (SocketTimeoutException e) {
                socket.shutdownOutput();
                return false;
            } finally {
                sending.interrupt();
            }
        }
    }

    private static void send(Socket socket, byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
        } catch (IOException e) {
            return; // It has left.
        }
    }

    @Test
    void devices_that_publish_and_leave_do_not_fill_the_disk_and_what_was_acknowledged_stays()
            throws Exception {
        NativeTools.need(Mount.problem());
        Path mounted = Files.createDirectories(folder.resolve("disk"));
        try (Mount disk = Mount.tmpfs(mounted, "size=" + DISK_MIB + "m");
                Node node =
                        new Node(
                                        mounted,
                                        "durability.disk-free=" + ALARM_MIB + "MiB",
                                        "durability.journal-max=64MiB",
                                        "durability.window-bytes=8MiB")
                                .up();
                Clients clients = node.clients()) {
            Path filler = Files.write(mounted.resolve("filler"), new byte[FILLER_MIB << 20]);
            Admin admin = node.admin();
            clients.away("s", "t", 1);
            Set<String> acknowledged = new HashSet<>();
            int devices = 0;
            while (admin.metric("store_disk_alarm") == 0 && devices < 2 * DEVICES) {
                String name = "d" + devices++;
                if (device(clients.port(), name)) {
                    acknowledged.add(name);
                }
            }
            assertThat(acknowledged).isNotEmpty();

            // A compaction may end the alarm for a moment, so some of them may be taken.
            acknowledged.addAll(flood(clients.port(), devices, DEVICES));
            await().until(() -> admin.metric("store_disk_alarm") == 1);
            List<String> late = flood(clients.port(), devices + DEVICES, LATE_DEVICES);
            assertThat(late).as("acknowledged during the alarm").isEmpty();
            assertThat(freeMiB(disk)).as("left of the reserve").isGreaterThan(ALARM_MIB / 4);
            await().atMost(Duration.ofSeconds(10))
                    .untilAsserted(() -> assertThat(admin.metric("connections")).isZero());

            WireClient waits = clients.connect(ConnectBytes.v5("waits"));
            waits.send(PublishBytes.v5("t").qos(1, 1).payload("after"));
            Files.delete(filler);
            waits.pubAck(1);
            acknowledged.add("after");
            publish(waits, "t", 1, "and on");
            acknowledged.add("and on");

            WireClient back = clients.resume(durable("s"));
            // A device may have left before its PUBACK: its message is stored nevertheless.
            Set<String> delivered = new HashSet<>();
            while (!delivered.containsAll(acknowledged)) {
                texts(back, 1)
                        .forEach(text -> delivered.add(text.lines().findFirst().orElseThrow()));
            }
            node.stop();
        }
    }

    private static long freeMiB(Mount disk) throws IOException {
        return Files.getFileStore(disk.folder()).getUsableSpace() >> 20;
    }

    /**
     * @return the names of those that were acknowledged
     */
    private static List<String> flood(int port, int from, int count) throws Exception {
        List<String> acknowledged = new ArrayList<>();
        List<Future<Boolean>> outcomes = new ArrayList<>();
        try (ExecutorService devices = Executors.newFixedThreadPool(AT_ONCE)) {
            for (int i = from; i < from + count; i++) {
                String name = "d" + i;
                outcomes.add(devices.submit(() -> device(port, name)));
            }
        }
        for (int i = 0; i < outcomes.size(); i++) {
            if (outcomes.get(i).get()) {
                acknowledged.add("d" + (from + i));
            }
        }
        return acknowledged;
    }
}
