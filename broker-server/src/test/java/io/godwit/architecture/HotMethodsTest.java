package io.godwit.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * C2 takes a method into its caller only up to so many bytes of code (FreqInlineSize). What each
 * message passes stays below that: one method above it once cost a tenth of all time per message.
 * Six are kept out of their callers on purpose (the launcher's flags), and take in what they call.
 */
class HotMethodsTest {
    private static final int MOST = 325;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "codec.PacketDecoder",
                "codec.PublishDecoder",
                "codec.PublishEncoder",
                "connection.Outbound",
                "group.GroupDelivery",
                "publish.AckOrder",
                "publish.DeliveryMail",
                "publish.FanOut",
                "publish.LocalDelivery",
                "publish.PublishRefusals",
                "publish.PublisherBrake",
                "publish.Publishing",
                "publish.Router",
                "queue.DurableQueue",
                "queue.InFlight",
                "queue.QueueIntake",
                "session.PublishingSession",
                "session.ReceivingSession",
                "session.Session",
                "shard.LoopShard"
            })
    void what_each_message_passes_is_small_enough_to_be_compiled_into_its_caller(String name)
            throws IOException {
        assertThat(methodsAbove(MOST, "/io/godwit/core/" + name.replace('.', '/') + ".class"))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ChannelEnd",
                "PacketBoundary",
                "PeerPost",
                "ReceiveWindow",
                "RemoteChannels",
                "RemoteConnections",
                "RemotePipe",
                "RemoteWire"
            })
    void methods_of_remote_connections_are_small_enough_to_be_compiled_into_their_callers(
            String name) throws IOException {
        assertThat(methodsAbove(MOST, "/io/godwit/cluster/remote/" + name + ".class")).isEmpty();
    }

    /** Names and bytes of code of the larger methods of a class (JVM specification, 4.1). */
    private static List<String> methodsAbove(int bytes, String classFile) throws IOException {
        InputStream file = HotMethodsTest.class.getResourceAsStream(classFile);
        try (DataInputStream in = new DataInputStream(Objects.requireNonNull(file, classFile))) {
            in.skipNBytes(8); // magic, version
            String[] texts = constants(in);
            in.skipNBytes(6); // access flags, this, super
            in.skipNBytes(2L * in.readUnsignedShort()); // interfaces
            members(in, texts); // fields
            return members(in, texts).stream()
                    .filter(method -> method.codeBytes > bytes)
                    .map(Member::toString)
                    .toList();
        }
    }

    private record Member(String name, int codeBytes) {}

    private static List<Member> members(DataInputStream in, String[] texts) throws IOException {
        List<Member> all = new ArrayList<>();
        for (int left = in.readUnsignedShort(); left > 0; left--) {
            in.skipNBytes(2); // access flags
            String name = texts[in.readUnsignedShort()];
            in.skipNBytes(2); // descriptor
            all.add(new Member(name, codeBytes(in, texts)));
        }
        return all;
    }

    private static int codeBytes(DataInputStream in, String[] texts) throws IOException {
        int bytes = 0;
        for (int left = in.readUnsignedShort(); left > 0; left--) {
            String attribute = texts[in.readUnsignedShort()];
            long length = in.readInt() & 0xFFFF_FFFFL;
            if (attribute.equals("Code")) {
                in.skipNBytes(4); // stack, locals
                bytes = in.readInt();
                length -= 8;
            }
            in.skipNBytes(length);
        }
        return bytes;
    }

    /** The texts among a class's constants, each at its number. */
    private static String[] constants(DataInputStream in) throws IOException {
        String[] texts = new String[in.readUnsignedShort()];
        for (int i = 1; i < texts.length; i++) {
            int tag = in.readUnsignedByte();
            texts[i] = "";
            switch (tag) {
                case 1 -> texts[i] = in.readUTF();
                case 7, 8, 16, 19, 20 -> in.skipNBytes(2);
                case 15 -> in.skipNBytes(3);
                case 3, 4, 9, 10, 11, 12, 17, 18 -> in.skipNBytes(4);
                case 5, 6 -> {
                    in.skipNBytes(8);
                    i++; // Takes two numbers.
                }
                default -> throw new IOException("constant of kind " + tag);
            }
        }
        return texts;
    }
}
