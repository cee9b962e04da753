package io.godwit.cluster.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.godwit.cluster.membership.Member;
import io.godwit.cluster.membership.MembershipSettings;
import io.godwit.cluster.membership.Refusal;
import io.godwit.cluster.stream.StreamMessage;
import io.godwit.cluster.stream.StreamMessages;
import io.godwit.cluster.stream.StreamSamples;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Nodes of each version that was ever in use, as recordings of what they say, are understood by the
 * code of today: hello, frames, every message of every room. A version whose recording is deleted
 * here can't be in a cluster with this one.
 *
 * <p>{@code -Dprotocol.record=FILE} records what today's says.
 */
class RecordedProtocolTest {
    private static final MessageType[] TYPES = StreamMessages.types();

    /** Of server 3, which has joined and is not there. */
    private static final byte[] MEMBERS =
            HexFormat.of()
                    .parseHex(
                            "01" + "11" + "000003" + "04" + "0000000000000058" + "026e33" + "0161");

    private static List<Outgoing> samples() {
        List<Outgoing> all = new ArrayList<>(StreamSamples.messages());
        return all;
    }

    /** A room that reads all messages as those do whose they are, and writes them down. */
    private static final class Listener implements MessageHandler {
        final List<String> heard = new ArrayList<>();

        @Override
        public boolean onMessage(PeerLink from, MessageType type, ByteReader body, int length) {
            heard.add(text(read(type, body), from.protocol()));
            return true;
        }
    }

    private static Outgoing read(MessageType type, ByteReader body) {
        return StreamMessage.read(type, body, stream -> null);
    }

    private static byte[] body(Outgoing message, int protocol) {
        ByteWriter to = new ByteWriter(64);
        message.write(to, protocol);
        return to.toBytes();
    }

    /** As whoever has read it would write it: some is said in several ways. */
    private static String text(Outgoing message, int protocol) {
        ByteReader written = new ByteReader(body(message, protocol));
        byte[] body = body(read(message.type(), written), protocol);
        return "%s %d %08x %s"
                .formatted(
                        message.type(),
                        body.length,
                        Arrays.hashCode(body),
                        HexFormat.of().formatHex(body, 0, Math.min(body.length, 300)));
    }

    private static List<String> texts(TrafficClass traffic, int protocol) {
        return samples().stream()
                .filter(each -> each.type().traffic() == traffic)
                .map(each -> text(each, protocol))
                .toList();
    }

    private static SteppedNode node(int server, byte[] members, MessageHandler handler) {
        return new SteppedNode(
                server,
                MembershipSettings.PROTOCOL_MIN,
                MembershipSettings.PROTOCOL,
                members,
                handler,
                TYPES);
    }

    /** What node 2 says to node 1: it hears hellos, one frame of data, and nothing more. */
    private static Recording record() {
        SteppedNode here = node(1, new byte[0], new Listener());
        SteppedNode there = node(2, MEMBERS, new Listener());
        here.findOther();
        there.findOther();
        boolean hasHeardData = false;
        int heardHere = 0;
        int heardThere = 0;
        while (heardHere < there.sent.size() || heardThere < here.sent.size()) {
            if (heardHere < there.sent.size()) {
                here.onFrame(there.sent.get(heardHere++));
            }
            if (heardThere < here.sent.size()) {
                byte[] frame = here.sent.get(heardThere++);
                boolean isData = Frame.kind(frame, 0, frame.length) == Frame.DATA;
                if (!isData || !hasHeardData) {
                    there.onFrame(frame);
                }
                hasHeardData |= isData;
            }
        }
        PeerLink link = Objects.requireNonNull(there.links.link(1));
        samples().forEach(each -> assertThat(link.offer(each)).isTrue());
        there.membership.forget("n3", true, answer -> {});
        there.settle();
        return new Recording(samples().size(), List.copyOf(there.sent));
    }

    private static Recording recording(int version) throws IOException {
        try (InputStream in =
                RecordedProtocolTest.class.getResourceAsStream("protocol-" + version + ".gz")) {
            return Recording.read(Objects.requireNonNull(in));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = 1)
    void a_node_of_another_version_is_understood(int version) throws IOException {
        Recording recording = recording(version);
        Listener listener = new Listener();
        SteppedNode node = node(1, new byte[0], listener);
        node.findOther();
        recording.frames().forEach(node::onFrame);

        PeerLink link = Objects.requireNonNull(node.links.link(2));
        assertThat(link.protocol()).isEqualTo(version);
        assertThat(link.state()).isEqualTo(LinkState.UP);
        for (LinkMetric each :
                List.of(
                        LinkMetric.LINKS_DOWN,
                        LinkMetric.FRAMES_BAD,
                        LinkMetric.FRAMES_MISSING,
                        LinkMetric.FRAMES_OLD,
                        LinkMetric.MESSAGES_UNKNOWN)) {
            assertThat(node.counters.get(each)).as("%s", each).isZero();
        }
        assertThat(node.membership.nodes().members())
                .extracting(Member::server, Member::name)
                .containsExactly(tuple(1, "n1"), tuple(2, "n2"), tuple(3, "n3"));
        assertThat(listener.heard).hasSize(recording.messages());
        for (TrafficClass each : TrafficClass.values()) {
            List<String> known = texts(each, version);
            assertThat(known)
                    .as("%s", each)
                    .containsSubsequence(listener.heard.stream().filter(known::contains).toList());
        }
        assertThat(samples().stream().map(each -> text(each, version))).containsAll(listener.heard);
    }

    @Test
    void a_link_by_which_something_came_that_cannot_be_read_ends() throws IOException {
        Recording recording = recording(MembershipSettings.PROTOCOL);
        SteppedNode node = node(1, new byte[0], new Listener());
        node.findOther();
        recording.frames().forEach(node::onFrame);
        PeerLink link = Objects.requireNonNull(node.links.link(2));
        link.broken();
        assertThat(link.state()).isEqualTo(LinkState.UP);
        node.onFrame(recording.frames().getLast());
        assertThat(link.state()).isEqualTo(LinkState.DOWN);
        assertThat(node.counters.get(LinkMetric.FRAMES_BAD)).isEqualTo(1);
    }

    /** Older nodes of the same version get what is written today. */
    @Test
    void today_is_said_what_was_recorded() throws IOException {
        Recording now = record();
        String file = System.getProperty("protocol.record");
        if (file != null) {
            now.write(Files.newOutputStream(Path.of(file)));
            return;
        }
        Recording before = recording(MembershipSettings.PROTOCOL);
        assertThat(now.messages()).isEqualTo(before.messages());
        assertThat(now.frames()).hasSameSizeAs(before.frames());
        for (int i = 0; i < now.frames().size(); i++) {
            assertThat(now.frames().get(i)).as("frame %d", i).isEqualTo(before.frames().get(i));
        }
    }

    @Test
    void a_version_that_is_not_understood_is_refused_in_one_line() {
        int later = MembershipSettings.PROTOCOL + 1;
        SteppedNode here = node(1, new byte[0], new Listener());
        SteppedNode there =
                new SteppedNode(2, later, later + 2, new byte[0], new Listener(), TYPES);
        here.findOther();
        there.findOther();
        for (byte[] each : List.copyOf(there.sent)) {
            here.onFrame(each);
        }
        for (byte[] each : List.copyOf(here.sent)) {
            there.onFrame(each);
        }

        assertThat(here.membership.counters().get(Refusal.PROTOCOL)).isPositive();
        assertThat(there.membership.counters().byOthers(Refusal.PROTOCOL)).isPositive();
        assertThat(here.links.link(2)).isNull();
        assertThat(there.links.link(1)).isNull();
        byte[] refusal =
                here.sent.stream()
                        .filter(each -> Frame.kind(each, 0, each.length) == Frame.REFUSED)
                        .findFirst()
                        .orElseThrow();
        ByteReader in = new ByteReader(refusal, 2, refusal.length);
        assertThat(new String(in.sized(), StandardCharsets.UTF_8))
                .isEqualTo(
                        "node n1 refuses node n2: it speaks versions %d to %d of messages between"
                                        .formatted(later, later + 2)
                                + " nodes, this node %d to %d"
                                        .formatted(
                                                MembershipSettings.PROTOCOL_MIN,
                                                MembershipSettings.PROTOCOL));
    }
}
