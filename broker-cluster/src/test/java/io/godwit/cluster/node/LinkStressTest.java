package io.godwit.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.ClusterSettings;
import io.godwit.cluster.Discovery;
import io.godwit.cluster.membership.MembersFile;
import io.godwit.cluster.membership.Nodes;
import io.godwit.cluster.membership.NodesListener;
import io.godwit.cluster.membership.Self;
import io.godwit.cluster.transport.Endpoint;
import io.godwit.cluster.transport.Handlers;
import io.godwit.cluster.transport.LinkSettings;
import io.godwit.cluster.transport.MessageHandler;
import io.godwit.cluster.transport.MessageType;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.Outgoing;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.cluster.transport.PeerListener;
import io.godwit.cluster.transport.Resumed;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.cluster.transport.Transport;
import io.godwit.cluster.transport.TransportListener;
import io.godwit.cluster.transport.Unconfirmed;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.time.TimeSource;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Links with real threads: shards offer at all times while frames go missing and links end. Each
 * message is received once, in its thread's order, or told to be unconfirmed.
 */
@Tag("alone")
class LinkStressTest {
    private static final int THREADS = 3;
    private static final int DROP_ONE_OF = 40;
    private static final long RUN_MS = 1_500;
    private static final long RUN_MOST_MS = 30_000;
    private static final int ENDS_LEAST = 2;
    private static final MessageType TYPE = new MessageType(50, TrafficClass.APPENDS, "stress");

    private record Here(String name) implements Endpoint {}

    /** Brings frames to the other one, all but some, by a thread of its own. */
    private static final class Wire implements Transport {
        final Here self;
        final ExecutorService receiving = Executors.newSingleThreadExecutor();
        final AtomicInteger frames = new AtomicInteger();
        volatile boolean loses = true;
        volatile @Nullable TransportListener listener;
        @Nullable Wire other;

        Wire(String name) {
            self = new Here(name);
        }

        @Override
        public void open(TransportListener heard) {
            listener = heard;
        }

        void hint() {
            TransportListener told = listener;
            Wire far = other;
            if (told != null && far != null) {
                told.onEndpoints(Set.of(far.self));
            }
        }

        @Override
        public void send(Endpoint to, byte[] frame, int length) {
            Wire far = other;
            TransportListener heard = far == null ? null : far.listener;
            if (heard == null || loses && frames.incrementAndGet() % DROP_ONE_OF == 0) {
                return;
            }
            far.receiving.execute(() -> heard.onFrame(self, frame, 0, length));
        }

        @Override
        public void close() {
            receiving.shutdown();
        }
    }

    private record Numbered(int thread, long number) implements Outgoing {
        @Override
        public MessageType type() {
            return TYPE;
        }

        @Override
        public int bytes() {
            return 12;
        }

        @Override
        public void write(ByteWriter to, int protocol) {
            to.varint(thread).varint(number);
        }
    }

    private static final class Node implements NodesListener, PeerListener, MessageHandler {
        final ConcurrentLinkedQueue<Unconfirmed> unconfirmed = new ConcurrentLinkedQueue<>();
        final ConcurrentHashMap<Numbered, PeerLink> received = new ConcurrentHashMap<>();
        final ConcurrentHashMap<List<Object>, Long> last = new ConcurrentHashMap<>();
        final List<String> wrong = new ArrayList<>();
        final AtomicInteger ends = new AtomicInteger();
        final ClusterNode node;
        volatile @Nullable PeerLink open;

        Node(int server, Transport transport) {
            ClusterSettings settings =
                    new ClusterSettings(
                            "stress",
                            new InetSocketAddress("127.0.0.1", 1),
                            Discovery.STATIC,
                            List.of(),
                            1_000,
                            1_000,
                            2_000,
                            5_000,
                            0,
                            null,
                            false);
            node =
                    new ClusterNode(
                            settings,
                            LinkSettings.DEFAULTS,
                            new Self(new NodeStart(server, 1), server, "n" + server, "", ""),
                            new RealTime(),
                            new OwnLinksThread(new RealTime()),
                            new Nothing(),
                            transport,
                            new Handlers().with(this, TYPE),
                            List.of(this),
                            this);
        }

        @Override
        public boolean onMessage(PeerLink from, MessageType type, ByteReader body, int length) {
            Numbered message = new Numbered(body.smallInt(), body.varint());
            Long before = last.put(List.of(from, message.thread()), message.number());
            if (from != open) {
                wrong.add("a message of a link that is not open");
            }
            if (before != null && before >= message.number()) {
                wrong.add(message + " behind " + before);
            }
            if (received.put(message, from) != null) {
                wrong.add(message + " twice");
            }
            return true;
        }

        @Override
        public void onUp(PeerLink link, Resumed resumed) {
            open = link;
        }

        @Override
        public void onSilent(PeerLink link) {
            // A machine that is busy may be late.
        }

        @Override
        public void onHeard(PeerLink link) {
            // As it was.
        }

        @Override
        public void onDown(PeerLink link, List<Unconfirmed> all) {
            open = null;
            ends.incrementAndGet();
            unconfirmed.addAll(all);
        }

        @Override
        public void onRoom(PeerLink link, TrafficClass traffic) {
            // Who is refused here only counts.
        }

        @Override
        public void onNodes(Nodes nodes) {
            // One other node.
        }

        @Override
        public void onIntruder(String line) {
            wrong.add(line);
        }
    }

    @Test
    void every_message_is_received_once_and_in_order_or_told_to_be_unconfirmed() throws Exception {
        Wire left = new Wire("left");
        Wire right = new Wire("right");
        left.other = right;
        right.other = left;
        Node from = new Node(1, left);
        Node to = new Node(2, right);
        from.node.start();
        to.node.start();
        left.hint();
        right.hint();

        Set<Numbered> offered = ConcurrentHashMap.newKeySet();
        long beganNanos = System.nanoTime();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int thread = i;
            threads.add(
                    Thread.ofPlatform()
                            .start(() -> {
                                long number = 0;
                                while (goesOn(beganNanos, from)) {
                                    PeerLink link = from.node.peers().link(2);
                                    Numbered message = new Numbered(thread, ++number);
                                    if (link != null && link.offer(message)) {
                                        offered.add(message);
                                    }
                                    if (number % 16 == 0) {
                                        Thread.yield();
                                    }
                                }
                            }));
        }
        for (Thread each : threads) {
            each.join();
        }
        left.loses = false;
        right.loses = false;
        TimeUnit.MILLISECONDS.sleep(300);
        from.node.close();
        to.node.close();

        assertThat(to.wrong).isEmpty();
        assertThat(from.wrong).isEmpty();
        assertThat(from.ends.get()).isGreaterThan(ENDS_LEAST);
        Set<Outgoing> told = ConcurrentHashMap.newKeySet();
        from.unconfirmed.forEach(each -> told.add(each.message()));
        assertThat(offered.size()).isGreaterThan(10_000);
        assertThat(
                        offered.stream()
                                .filter(each ->
                                        !to.received.containsKey(each) && !told.contains(each)))
                .isEmpty();
        assertThat(to.received.keySet().stream().filter(each -> !offered.contains(each))).isEmpty();
    }

    /** For a while, and until enough links have ended, however slow the machine is now. */
    private static boolean goesOn(long beganNanos, Node from) {
        long ms = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNanos);
        return ms < RUN_MS || from.ends.get() <= ENDS_LEAST && ms < RUN_MOST_MS;
    }

    private record RealTime() implements TimeSource {
        @Override
        public long monotonicMs() {
            return System.nanoTime() / 1_000_000;
        }

        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public long wallMs() {
            return System.currentTimeMillis();
        }
    }

    private record Nothing() implements MembersFile {
        @Override
        public byte[] load() {
            return new byte[0];
        }

        @Override
        public void save(byte[] members) {
            // Kept nowhere.
        }
    }
}
