package io.godwit.badinput;

import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** What clients can do to a broker, each until its end comes; figures are of the full size. */
enum Attack {
    STALLED_READERS("300 QoS 0 subscribers stop reading, 20 KB messages at full speed") {
        @Override
        void run(Attacker a) throws IOException, InterruptedException {
            for (int i = 0; i < a.of(300); i++) {
                a.deaf("deaf" + i).subscribe("flood", 0);
            }
            a.each(1, () -> flood(a, "flood", 20_000, 0));
        }
    },
    STALLED_DURABLE("50 durable QoS 1 subscribers stop reading, 10 MiB messages") {
        @Override
        void run(Attacker a) throws IOException, InterruptedException {
            for (int i = 0; i < a.of(50); i++) {
                RawClient client = a.open(16 << 10);
                client.send(Bytes.connectToSession("late" + i));
                client.readUntil(Bytes.CONNACK);
                client.subscribe("flood", 1);
            }
            a.each(1, () -> publishAcknowledged(a, "flood", 10 << 20, 1));
        }
    },
    SILENT_SUBSCRIBERS("5 QoS 1 subscribers acknowledge nothing, 20 KB messages, 100 in flight") {
        @Override
        void run(Attacker a) throws IOException, InterruptedException {
            for (int i = 0; i < 5; i++) {
                a.connected("silent" + i).subscribe("flood", 1);
            }
            a.each(1, () -> publishAcknowledged(a, "flood", 20_000, 100));
        }
    },
    LARGE_RETAINED("2 connections retain 8 MiB messages at full speed") {
        @Override
        void run(Attacker a) throws InterruptedException {
            a.each(2, () -> retain(a, 1, 8 << 20));
        }
    },
    MANY_RETAINED("2 connections retain 100 KB messages under 1 000 topics at full speed") {
        @Override
        void run(Attacker a) throws InterruptedException {
            a.each(2, () -> retain(a, 1_000, 100_000));
        }
    },
    USER_PROPERTIES("4 strangers send CONNECTs of 16 MiB of User Properties") {
        @Override
        void run(Attacker a) throws InterruptedException {
            byte[] connect = connectOfProperties(16 << 20);
            a.each(4, () -> a.open(0).send(connect));
        }
    },
    MILLIONS_OF_FILTERS("2 clients send SUBSCRIBEs of 16 MiB with 4 million filters") {
        @Override
        void run(Attacker a) throws InterruptedException {
            byte[] subscribe = subscribeOfMillions();
            a.each(
                    2,
                    () -> {
                        RawClient client = a.connected("hoarder" + number());
                        client.send(subscribe);
                        client.expectEnd();
                    });
        }
    },
    LONG_FILTERS("100 clients subscribe to filters of 60 KB until they are refused") {
        @Override
        void run(Attacker a) throws InterruptedException {
            String level = "x".repeat(60_000);
            a.each(
                    a.of(100),
                    () -> {
                        RawClient client = a.connected("collector" + number());
                        for (int i = 0; a.goesOn(); i++) {
                            client.send(Bytes.subscribe(1, 0, level + number()));
                            byte[] answer = client.readUntil(Bytes.SUBACK).body();
                            if (answer[answer.length - 1] < 0) {
                                a.holdOn();
                            }
                        }
                    });
        }
    },
    WILLS("1 000 clients with wills of 50 KB, half of it User Properties") {
        @Override
        void run(Attacker a) throws InterruptedException {
            byte[] properties = new byte[25_000];
            for (int i = 0; i < properties.length; i += 25) {
                properties[i] = 0x26;
                properties[i + 2] = 20;
            }
            a.each(
                    20,
                    () -> {
                        for (int i = 0; i < a.of(50) && a.goesOn(); i++) {
                            RawClient client = a.open(0);
                            int n = number();
                            client.send(
                                    Bytes.connectWithWill(
                                            "heir" + n, "will/" + n, properties, new byte[25_000]));
                            client.readUntil(Bytes.CONNACK);
                        }
                        a.holdOn();
                    });
        }
    },
    OVERLAPPING("one session with 8 192 overlapping filters, messages to ever new topics") {
        @Override
        void run(Attacker a) throws IOException, InterruptedException {
            RawClient subscriber = a.connected("overlap");
            List<String> filters =
                    IntStream.range(0, a.of(8_192))
                            .mapToObj(i -> {
                                StringBuilder filter = new StringBuilder();
                                for (int bit = 0; bit < 13; bit++) {
                                    filter.append((i >> bit & 1) == 0 ? "+/" : "x/");
                                }
                                return filter + "+";
                            })
                            .toList();
            for (int from = 0; from < filters.size(); from += 500) {
                subscriber.send(
                        Bytes.numberedSubscribe(
                                1,
                                1 + from / 500,
                                filters.subList(from, Math.min(filters.size(), from + 500))));
                subscriber.readUntil(Bytes.SUBACK);
            }
            a.each(
                    2,
                    () -> {
                        RawClient publisher = a.connected("explorer" + number());
                        while (a.goesOn()) {
                            publisher.send(
                                    Bytes.publish("x/".repeat(13) + number(), new byte[8], 0, 0));
                        }
                    });
        }
    },
    COLLIDING_TOPICS("60 000 retained topics of one x31 hash") {
        @Override
        void run(Attacker a) throws InterruptedException {
            a.each(
                    2,
                    () -> {
                        RawClient client = a.connected("colliding" + number());
                        for (int i = 0; i < a.of(60_000) && a.goesOn(); i++) {
                            client.send(Bytes.publish(colliding(i), new byte[1], 0, 0, true));
                        }
                        client.send(Bytes.publish("end", new byte[1], 1, 1));
                        client.readUntil(Bytes.PUBACK);
                    });
        }
    },
    COLLIDING_FILTERS("40 000 filters of one x31 hash, by 20 clients") {
        @Override
        void run(Attacker a) throws InterruptedException {
            AtomicInteger next = new AtomicInteger();
            a.each(
                    20,
                    () -> {
                        RawClient client = a.connected("colliding" + number());
                        for (int i = 0; i < a.of(20) && a.goesOn(); i++) {
                            int from = next.getAndAdd(100) % 60_000;
                            client.send(
                                    Bytes.subscribe(
                                            1,
                                            0,
                                            IntStream.range(from, from + 100)
                                                    .mapToObj(Attack::colliding)
                                                    .toList()));
                            client.readUntil(Bytes.SUBACK);
                        }
                        a.holdOn();
                    });
        }
    },
    LAST_BYTES("30 clients withhold the last byte of a 16 MiB packet") {
        @Override
        void run(Attacker a) throws InterruptedException {
            byte[] allButOne = new byte[(16 << 20) - 100];
            a.each(
                    a.of(30),
                    () -> {
                        RawClient client = a.connected("withholds" + number());
                        client.send(Bytes.publishHead("held", allButOne.length + 1));
                        client.send(allButOne);
                        client.expectEnd();
                    });
        }
    },
    OFFLINE_GROUP("a durable group whose workers are offline gets 20 KB messages from 4 clients") {
        @Override
        void run(Attacker a) throws IOException, InterruptedException {
            RawClient worker = a.open(0);
            worker.send(Bytes.connectToSession("worker"));
            worker.readUntil(Bytes.CONNACK);
            worker.subscribe("$share/workers/jobs", 1);
            worker.close();
            a.each(4, () -> publishAcknowledged(a, "jobs", 20_000, 50));
        }
    },
    IDLE_SESSIONS("101 durable sessions on # are offline, 4 KB messages from 2 clients") {
        @Override
        void run(Attacker a) throws IOException, InterruptedException {
            for (int i = 0; i < a.of(101); i++) {
                RawClient idle = a.open(0);
                idle.send(Bytes.connectToSession("idle" + i));
                idle.readUntil(Bytes.CONNACK);
                idle.send(Bytes.subscribe(1, 1, "#"));
                idle.readUntil(Bytes.SUBACK);
                idle.close();
            }
            a.each(2, () -> publishAcknowledged(a, "any", 4_000, 20));
        }
    },
    SLOW_ADMIN("200 connections to the admin port, a byte each second") {
        @Override
        void run(Attacker a) throws InterruptedException {
            byte[] request =
                    ("GET /metrics HTTP/1.1\r\nHost: localhost\r\nX: " + "x".repeat(1_000))
                            .getBytes(StandardCharsets.UTF_8);
            a.each(
                    a.of(200),
                    () -> {
                        try (Socket socket = a.admin()) {
                            for (byte each : request) {
                                socket.getOutputStream().write(each);
                                a.wait(1_000);
                            }
                        }
                    });
        }
    },
    RECONNECT_STORM("10 000 clients connect at once, leave at once, and come again") {
        @Override
        void run(Attacker a) throws IOException, InterruptedException {
            int crowd = a.of(10_000);
            while (a.goesOn()) {
                try (Swarm swarm = a.swarm()) {
                    swarm.open(crowd, i -> List.of(ByteBuffer.wrap(Bytes.connect("storm" + i, 0))));
                    swarm.await(
                            "connected",
                            Duration.ofSeconds(60),
                            () -> swarm.counts().connected == crowd || !a.goesOn());
                }
            }
        }
    },
    FAN_OUT("2 000 subscribers of one topic, 2 clients publish small messages at full speed") {
        @Override
        void run(Attacker a) throws IOException, InterruptedException {
            Swarm swarm = a.swarm();
            int crowd = a.of(2_000);
            swarm.open(
                    crowd,
                    i ->
                            List.of(
                                    ByteBuffer.wrap(Bytes.connect("listener" + i, 0)),
                                    ByteBuffer.wrap(Bytes.subscribe(1, 0, "news"))));
            swarm.await(
                    "subscribed",
                    Duration.ofSeconds(60),
                    () -> swarm.counts().subscribed == crowd || !a.goesOn());
            Thread publishers =
                    Thread.ofPlatform()
                            .start(() -> {
                                try {
                                    a.each(2, () -> flood(a, "news", 20, 0));
                                } catch (InterruptedException e) {
                                    Thread.currentThread().interrupt();
                                }
                            });
            try {
                swarm.await("the end", Duration.ofMinutes(10), () -> !a.goesOn());
            } finally {
                publishers.join();
            }
        }
    };

    private static final AtomicInteger NUMBERS = new AtomicInteger();

    private final String what;

    Attack(String what) {
        this.what = what;
    }

    /** In words, with its full size. */
    String what() {
        return what;
    }

    /** Goes on until the attacker's end; connections that the broker ends are no failure. */
    abstract void run(Attacker a) throws IOException, InterruptedException;

    private static int number() {
        return NUMBERS.incrementAndGet();
    }

    private static void flood(Attacker a, String topic, int bytes, int qos) throws IOException {
        RawClient publisher = a.connected("flooder" + number());
        byte[] message = Bytes.publish(topic, new byte[bytes], qos, 1);
        while (a.goesOn()) {
            publisher.send(message);
        }
    }

    private static void publishAcknowledged(Attacker a, String topic, int bytes, int window)
            throws IOException {
        RawClient publisher = a.connected("publisher" + number());
        byte[] payload = new byte[bytes];
        while (a.goesOn()) {
            for (int i = 1; i <= window; i++) {
                publisher.send(Bytes.publish(topic, payload, 1, i));
            }
            for (int i = 1; i <= window; i++) {
                publisher.readUntil(Bytes.PUBACK);
            }
        }
    }

    private static void retain(Attacker a, int topics, int bytes) throws IOException {
        int n = number();
        RawClient client = a.connected("archivist" + n);
        byte[] payload = new byte[bytes];
        for (int i = 0; a.goesOn(); i++) {
            client.send(Bytes.publish("kept/" + n + "/" + i % topics, payload, 0, 0, true));
        }
    }

    private static byte[] connectOfProperties(int bytes) {
        byte[] head = {0, 4, 'M', 'Q', 'T', 'T', 5, 2, 0, 0};
        byte[] tail = {0, 1, 'x'};
        byte[] properties = new byte[(bytes - 200) / 5 * 5];
        for (int i = 0; i < properties.length; i += 5) {
            properties[i] = 0x26;
        }
        return Bytes.concat(
                Bytes.lying(0x10, head.length + 4 + properties.length + tail.length, head),
                Arrays.copyOfRange(Bytes.lying(0, properties.length), 1, 5),
                properties,
                tail);
    }

    private static byte[] subscribeOfMillions() {
        byte[] filters = new byte[(16 << 20) - 100];
        for (int i = 0; i + 4 <= filters.length; i += 4) {
            filters[i + 1] = 1;
            filters[i + 2] = 'f';
        }
        return Bytes.concat(
                Bytes.lying(0x82, 3 + filters.length, (byte) 0, (byte) 1, (byte) 0), filters);
    }

    /** Of 32 characters; all have one hash in base 31. */
    private static String colliding(int i) {
        List<String> pairs = new ArrayList<>();
        for (int bit = 0; bit < 16; bit++) {
            pairs.add((i >>> bit & 1) == 0 ? "Aa" : "BB");
        }
        return String.join("", pairs);
    }
}
