package io.godwit.server.client;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.Topic;
import io.godwit.server.Causes;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code godwit pub}. */
public final class PubCommand extends ClientCommand {
    private String topic = "";
    private int qos;
    private boolean retain;
    private final List<Content> contents = new ArrayList<>();

    /** Where the payload comes from. */
    private sealed interface Content {
        /** The text of {@code -m}. */
        record Text(String text) implements Content {}

        /** A file. */
        record Whole(Path file) implements Content {}

        /** All of standard input. */
        record Input() implements Content {}

        /** A message for each line of standard input. */
        record Lines() implements Content {}
    }

    public PubCommand() {
        this(Streams.ofProcess());
    }

    PubCommand(Streams streams) {
        super(streams);
    }

    @Override
    String name() {
        return "pub";
    }

    @Override
    String meaning() {
        return "Publishes a message, or one for each line of standard input. With QoS 1 and 2 it"
                + " returns when the\nbroker has acknowledged everything.";
    }

    @Override
    void addTo(OptionTable table) {
        table.add("-t", "--topic", "TOPIC", "topic", text -> topic = text)
                .add(
                        "-m",
                        "--message",
                        "TEXT",
                        "the message",
                        text -> contents.add(new Content.Text(text)))
                .add("-f", "--file", "FILE", "the message is the content of a file", this::addFile)
                .addFlag(
                        "-s",
                        "--stdin-file",
                        "the message is all of standard input",
                        () -> contents.add(new Content.Input()))
                .addFlag(
                        "-l",
                        "--stdin-line",
                        "each line of standard input is a message",
                        () -> contents.add(new Content.Lines()))
                .addFlag(
                        "-n",
                        "--null-message",
                        "an empty message; with -r it removes the retained one",
                        () -> contents.add(new Content.Text("")))
                .addNumber("-q", "--qos", "QOS", "0, 1 or 2 (0)", number -> qos = number)
                .addFlag(
                        "-r",
                        "--retain",
                        "the broker retains the message: later subscribers get it, too",
                        () -> retain = true);
    }

    private void addFile(String file) throws WrongOption {
        try {
            contents.add(new Content.Whole(Path.of(file)));
        } catch (InvalidPathException e) {
            throw new WrongOption("-f: '" + file + "' can't be a file");
        }
    }

    private Content content() throws WrongOption {
        if (contents.size() != 1) {
            throw new WrongOption("what is published is one of -m, -f, -s, -l and -n");
        }
        return contents.get(0);
    }

    @Override
    int run() throws ClientFailed, WrongOption, IOException {
        if (topic.isEmpty()) throw new WrongOption("-t is missing");
        Topic name = new Topic(topicName(topic));
        qos(qos);
        byte[] single = single(content());
        try (MqttConnection connection = connect(false)) {
            requireAllowed(connection.welcome());
            Outgoing outgoing = new Outgoing(connection);
            if (single != null) {
                publish(connection, outgoing, name, single);
            } else {
                publishLines(connection, outgoing, name);
            }
            outgoing.awaitAcknowledgements();
            connection.disconnect();
            connection.awaitEnd();
            return exitCode(outgoing);
        }
    }

    private int exitCode(Outgoing outgoing) {
        if (outgoing.refused() == 0) return 0;
        say(
                "the broker refused "
                        + (outgoing.refused() == 1
                                ? "the message: "
                                : outgoing.refused() + " messages, the first one: ")
                        + outgoing.refusal());
        return 1;
    }

    /**
     * Reads the only message.
     *
     * @return null when each line is one
     */
    private byte @Nullable [] single(Content content) throws ClientFailed, IOException {
        return switch (content) {
            case Content.Text text -> text.text().getBytes(StandardCharsets.UTF_8);
            case Content.Whole whole -> {
                try {
                    yield Files.readAllBytes(whole.file());
                } catch (IOException e) {
                    throw ClientFailed.finalOne(
                            "-f: " + whole.file() + " can't be read: " + Causes.of(e));
                }
            }
            case Content.Input input -> streams().in().readAllBytes();
            case Content.Lines lines -> null;
        };
    }

    /** A broker closes the connection of who goes beyond these limits. */
    private void requireAllowed(Packet.ConnAck welcome) throws ClientFailed {
        long qosMax = welcome.properties().number(Property.MAXIMUM_QOS, 2);
        if (qos > qosMax) {
            throw ClientFailed.finalOne(
                    "the broker takes messages of QoS 0 to " + qosMax + " only");
        }
        if (retain && welcome.properties().number(Property.RETAIN_AVAILABLE, 1) == 0) {
            throw ClientFailed.finalOne("the broker takes no retained messages (-r)");
        }
    }

    private void publish(MqttConnection connection, Outgoing outgoing, Topic name, byte[] payload)
            throws ClientFailed {
        long bytesMax =
                connection
                        .welcome()
                        .properties()
                        .number(Property.MAXIMUM_PACKET_SIZE, Long.MAX_VALUE);
        // Fixed header, topic, packet identifier and the length of no properties.
        long bytes = 1L + 4 + 2 + name.length() + 2 + 1 + payload.length;
        if (bytes > bytesMax) {
            throw ClientFailed.finalOne(
                    "the message has "
                            + payload.length
                            + " bytes, and the broker takes packets of up to "
                            + bytesMax);
        }
        outgoing.publish(name, qos, retain, payload);
    }

    private void publishLines(MqttConnection connection, Outgoing outgoing, Topic name)
            throws IOException, ClientFailed {
        InputStream in = new BufferedInputStream(streams().in());
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = in.read(); b >= 0; b = in.read()) {
            if (b != '\n') {
                line.write(b);
                continue;
            }
            publish(connection, outgoing, name, line.toByteArray());
            line.reset();
        }
        if (line.size() > 0) publish(connection, outgoing, name, line.toByteArray());
    }
}
