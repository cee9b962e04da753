package io.godwit.cluster.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.membership.MembershipSettings;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.Outgoing;
import io.godwit.cluster.transport.TestLink;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.core.ack.Receipt;
import io.godwit.core.id.IngressId;
import io.godwit.core.message.Message;
import io.godwit.core.message.PassingMessage;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A stream to one other node, and links that keep what they get. */
class OutStreamFixture {
    static final NodeStart PEER = new NodeStart(2, 1);
    static final NodeStart ANEW = new NodeStart(2, 2);

    /** A link that keeps what it gets, as the peer would read it. */
    static final class Wire extends TestLink {
        final NodeStart peer;
        final List<StreamMessage> sent = new ArrayList<>();

        /** Not written yet, when it is a link that writes late. */
        private final List<Outgoing> waiting = new ArrayList<>();

        boolean late;
        boolean room = true;

        /** Refuses all that is offered: more waits than may. */
        boolean isOverfull;

        int protocol = MembershipSettings.PROTOCOL;
        int written;
        int taken;

        Wire(NodeStart peer) {
            this.peer = peer;
        }

        @Override
        public NodeStart peer() {
            return peer;
        }

        @Override
        public boolean offer(Outgoing message) {
            if (isOverfull) {
                return false;
            }
            waiting.add(message);
            if (!late) {
                write();
            }
            return true;
        }

        void write() {
            waiting.forEach(this::write);
            waiting.clear();
        }

        private void write(Outgoing message) {
            byte[] bytes = bytes(message);
            ByteReader from = new ByteReader(bytes);
            StreamMessage read = StreamMessage.read(message.type(), from, stream -> null);
            assertThat(from.isAtEnd()).isTrue();
            sent.add(read);
            written += bytes.length;
        }

        @Override
        public int protocol() {
            return protocol;
        }

        @Override
        public boolean hasRoom(TrafficClass traffic) {
            return room;
        }

        @Override
        public void taken(TrafficClass traffic, int length) {
            taken += length;
        }

        /** "topic" of each record, its number if it has one, and a star for the mark again. */
        List<String> records() {
            List<String> all = new ArrayList<>();
            write();
            for (StreamMessage message : sent) {
                if (message instanceof StreamBatch arrived) {
                    StreamBatch batch = arrived.copy();
                    while (!batch.isAtEnd()) {
                        StreamRecord.Publish publish = (StreamRecord.Publish) batch.next();
                        all.add(label(publish.message()) + (batch.isAgain() ? "*" : ""));
                    }
                }
            }
            return all;
        }
    }

    static final long[] NONE = Answers.NONE;
    long charged;

    private final StreamRoom.Account account =
            new StreamRoom.Account() {
                @Override
                public void kept(long change) {
                    charged += change;
                }

                @Override
                public long max() {
                    return 10_000;
                }
            };

    long spare;

    /** Says what went to other members of groups, and to nodes that have taken groups over. */
    final List<String> given = new ArrayList<>();

    private final OtherMembers others =
            new OtherMembers() {
                @Override
                public void give(Message message, TopicFilter[] groups, @Nullable Receipt receipt) {
                    given.add(label(message) + " for " + Arrays.toString(groups));
                }

                @Override
                public void giveTo(int taker, UnansweredForGroups each) {
                    given.add(
                            label(each.message())
                                    + " for "
                                    + Arrays.toString(each.groups())
                                    + " to "
                                    + taker);
                }
            };

    final OutStream stream =
            new OutStream(
                    StreamName.ofShard(0),
                    account,
                    new SpareChunks(() -> 2 << 20, change -> spare += change),
                    others,
                    () -> {});

    /** Names are the same object when they come again. */
    private final Map<String, Topic> topics = new HashMap<>();

    private final Map<String, ClientId> publishers = new HashMap<>();

    static String label(Message message) {
        long number = IngressId.number(message.ingressCounter);
        assertThat(message.publisher).isEqualTo(ClientId.of("of " + message.topic));
        assertThat(IngressId.start(message.ingressCounter)).isEqualTo(2);
        assertThat(message.payload).hasSize(number == 0 ? 1 : (int) (number % 10_000));
        return number == 0 ? message.topic.toString() : message.topic + "#" + number;
    }

    Receipt add(String topic, int qos) {
        return add(message(topic, qos, 0, 1));
    }

    Receipt add(Message message) {
        int qos = message.qos;
        Receipt receipt = new Receipt(null, 1, qos);
        receipt.await();
        stream.add(new StreamRecord.Publish(message), receipt, qos == 0, false, false);
        receipt.routed();
        return receipt;
    }

    /** The same of one that passes; of QoS 0 it is not awaited. */
    @Nullable Receipt pass(Message message) {
        int qos = message.qos;
        PassingMessage passing = RecordCodecTest.passing(message);
        if (qos == 0) {
            stream.add(passing, null);
            return null;
        }
        Receipt receipt = new Receipt(null, 1, qos);
        receipt.await();
        stream.add(passing, receipt);
        receipt.routed();
        return receipt;
    }

    Message message(String topic, int qos, int number, int payloadBytes) {
        return new Message(
                topics.computeIfAbsent(topic, Topic::of),
                new byte[payloadBytes],
                PublishFrame.NO_PROPERTIES,
                qos,
                false,
                Message.NEVER,
                publishers.computeIfAbsent(topic, any -> ClientId.of("of " + topic)),
                1,
                IngressId.counter(2, number));
    }

    Wire up(NodeStart peer) {
        return up(peer, false, MembershipSettings.PROTOCOL);
    }

    Wire up(NodeStart peer, boolean late, int protocol) {
        Wire wire = new Wire(peer);
        wire.late = late;
        wire.protocol = protocol;
        stream.onUp(wire);
        stream.flush();
        return wire;
    }

    void answer(long upTo, long... others) {
        byte[] reasons = new byte[others.length];
        stream.onAnswers(PEER, new Answers(1, upTo, others, reasons, NONE, NONE));
    }
}
