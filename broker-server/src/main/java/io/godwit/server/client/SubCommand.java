package io.godwit.server.client;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.TopicFilter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** {@code godwit sub}. */
public final class SubCommand extends ClientCommand {
    private static final long RETRY_MS = 1_000;
    private static final long RETRY_MS_MAX = 30_000;

    private final List<String> filters = new ArrayList<>();
    private int qos;
    private boolean verbose;
    private @Nullable Integer count;
    private @Nullable Integer timeoutSeconds;
    private boolean isDurable;
    private final Set<Integer> receivedQos2 = new HashSet<>();
    private long printed;
    private volatile boolean isTimeOver;
    private volatile @Nullable MqttConnection current;

    /** Nobody reads standard output any more. */
    private static final class OutputClosed extends RuntimeException {
        private static final long serialVersionUID = 1L;

        OutputClosed() {
            super(null, null, false, false);
        }
    }

    public SubCommand() {
        this(Streams.ofProcess());
    }

    SubCommand(Streams streams) {
        super(streams);
    }

    @Override
    String name() {
        return "sub";
    }

    @Override
    String meaning() {
        return "Subscribes, and prints each message with a line end to standard output. It says on"
                + " standard error\nwhen it is subscribed, and connects again when the connection"
                + " is lost.";
    }

    @Override
    void addTo(OptionTable table) {
        table.add(
                        "-t",
                        "--topic",
                        "FILTER",
                        "topic filter; may be given several times",
                        filters::add)
                .addNumber(
                        "-q",
                        "--qos",
                        "QOS",
                        "the highest QoS of what is delivered: 0, 1 or 2 (0)",
                        number -> qos = number)
                .addFlag(
                        "-v",
                        "--verbose",
                        "prints the topic and a blank before each message",
                        () -> verbose = true)
                .addNumber(
                        "-C",
                        "--count",
                        "COUNT",
                        "ends after so many messages",
                        number -> count = number)
                .addNumber(
                        "-W",
                        "--timeout",
                        "SECONDS",
                        "ends after that time; with exit code 1 if -C asked for more messages",
                        number -> timeoutSeconds = number)
                .addFlag(
                        "-c",
                        "--disable-clean-session",
                        "the session outlives the connection: the broker queues messages until this client (-i) comes back",
                        () -> isDurable = true);
    }

    @Override
    int run() throws ClientFailed, WrongOption, IOException {
        if (filters.isEmpty()) throw new WrongOption("-t is missing");
        List<TopicFilter> all = new ArrayList<>();
        for (String each : filters) all.add(new TopicFilter(topicFilter(each)));
        qos(qos);
        if (count != null && count < 1) throw new WrongOption("-C: a count from 1 on");
        if (timeoutSeconds != null) limitTime(timeoutSeconds);
        try {
            return goOn(all);
        } catch (OutputClosed e) {
            return 0;
        }
    }

    private void limitTime(int seconds) throws WrongOption {
        if (seconds < 1) throw new WrongOption("-W: seconds from 1 on");
        Thread clock =
                new Thread(
                        () -> {
                            try {
                                TimeUnit.SECONDS.sleep(seconds);
                            } catch (InterruptedException e) {
                                return;
                            }
                            isTimeOver = true;
                            MqttConnection open = current;
                            if (open != null) {
                                open.disconnect();
                                open.abort();
                            }
                        },
                        "timeout");
        clock.setDaemon(true);
        clock.start();
    }

    private int goOn(List<TopicFilter> all) throws ClientFailed, WrongOption {
        boolean wasSubscribed = false;
        long waitMs = RETRY_MS;
        while (true) {
            long before = printed;
            Session session = new Session(all);
            try (MqttConnection connection = connect(isDurable)) {
                current = connection;
                session.run(connection);
                return 0;
            } catch (ClientFailed e) {
                if (isTimeOver) return count == null ? 0 : 1;
                wasSubscribed |= session.isSubscribed;
                if (isStopping() || !wasSubscribed || !e.isTemporary()) throw e;
                if (session.isSubscribed || printed > before) waitMs = RETRY_MS;
                say(e.getMessage() + "; connecting again in " + waitMs / 1_000 + " s");
            }
            sleep(waitMs);
            if (isTimeOver) return count == null ? 0 : 1;
            waitMs = Math.min(2 * waitMs, RETRY_MS_MAX);
        }
    }

    private static void sleep(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** One connection of the subscriber. */
    private final class Session {
        private final List<TopicFilter> all;
        private boolean isSubscribed;

        Session(List<TopicFilter> all) {
            this.all = all;
        }

        /** Returns when as many messages are printed as were asked for. */
        void run(MqttConnection connection) throws ClientFailed {
            if (!connection.welcome().sessionPresent()) receivedQos2.clear();
            try {
                connection.send(subscribe());
                while (count == null || printed < count) {
                    Packet packet = connection.receive();
                    if (packet instanceof Packet.Publish message) onMessage(connection, message);
                    if (packet instanceof Packet.Ack ack) onAck(connection, ack);
                    if (packet instanceof Packet.SubAck answer) onSubscribed(answer);
                }
            } catch (IOException e) {
                throw ClientFailed.temporary("the connection is lost");
            }
            connection.disconnect();
            connection.awaitEnd();
        }

        private Packet.Subscribe subscribe() {
            return new Packet.Subscribe(
                    1,
                    all.stream()
                            .map(each -> new Packet.Subscription(each, qos, false, false, 0))
                            .toList(),
                    Properties.NONE);
        }

        private void onSubscribed(Packet.SubAck answer) throws ClientFailed {
            List<String> accepted = new ArrayList<>();
            byte[] codes = answer.codes();
            for (int i = 0; i < all.size() && i < codes.length; i++) {
                int code = codes[i] & 0xFF;
                if (code < 0x80) {
                    accepted.add(all.get(i).toString());
                } else {
                    say(
                            "the broker refused the subscription to "
                                    + all.get(i)
                                    + ": "
                                    + Reasons.text(code, answer.properties()));
                }
            }
            if (accepted.isEmpty()) throw ClientFailed.finalOne("nothing is subscribed");
            isSubscribed = true;
            say("subscribed to " + String.join(", ", accepted));
        }

        private void onMessage(MqttConnection connection, Packet.Publish message)
                throws IOException {
            if (message.qos() < 2 || receivedQos2.add(message.packetId())) print(message);
            if (message.qos() > 0) {
                acknowledge(
                        connection,
                        message.qos() == 1 ? PacketType.PUBACK : PacketType.PUBREC,
                        message.packetId());
            }
        }

        private void onAck(MqttConnection connection, Packet.Ack ack) throws IOException {
            if (ack.type() == PacketType.PUBREL) {
                receivedQos2.remove(ack.packetId());
                acknowledge(connection, PacketType.PUBCOMP, ack.packetId());
            }
        }

        private void acknowledge(MqttConnection connection, PacketType type, int packetId)
                throws IOException {
            connection.send(new Packet.Ack(type, packetId, ReasonCode.SUCCESS, Properties.NONE));
        }
    }

    /** Writes a message at once: what is acknowledged has been printed. */
    private void print(Packet.Publish message) {
        byte[] topic = verbose && message.topic() != null ? message.topic().bytes() : new byte[0];
        byte[] payload = message.payload();
        int at = topic.length == 0 ? 0 : topic.length + 1;
        byte[] line = new byte[at + payload.length + 1];
        System.arraycopy(topic, 0, line, 0, topic.length);
        if (at > 0) line[at - 1] = ' ';
        System.arraycopy(payload, 0, line, at, payload.length);
        line[line.length - 1] = '\n';
        try {
            streams().out().write(line);
            streams().out().flush();
        } catch (IOException e) {
            throw new OutputClosed();
        }
        printed++;
    }
}
