package io.godwit.cluster.jgroups;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.ClusterSettings;
import io.godwit.cluster.Discovery;
import io.godwit.cluster.transport.Endpoint;
import io.godwit.cluster.transport.Transport;
import io.godwit.cluster.transport.TransportListener;
import io.godwit.loopback.FreePorts;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jgroups.stack.IpAddress;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Frames of full length, as fast as they are taken, over real JGroups on loopback. */
@Tag("alone")
class FullPipesTest {
    private static final int FRAMES = 1_500;
    private static final Duration SOON = Duration.ofSeconds(60);

    private static final class Side implements TransportListener, AutoCloseable {
        private final JGroupsTransport transport;
        private final AtomicInteger came = new AtomicInteger();
        private volatile int wrong;
        private volatile Set<Endpoint> others = Set.of();

        Side(int port, List<Integer> ports) throws Exception {
            ClusterSettings settings =
                    new ClusterSettings(
                            "test",
                            new InetSocketAddress("127.0.0.1", port),
                            Discovery.STATIC,
                            ports.stream().map(each -> "127.0.0.1:" + each).toList(),
                            2_000,
                            1_000,
                            2_000,
                            5_000,
                            0,
                            null,
                            false);
            transport = new JGroupsTransport(settings, "n" + port);
            transport.open(this);
        }

        @Override
        public void onFrame(Endpoint from, byte[] frame, int offset, int length) {
            int number = ByteBuffer.wrap(frame, offset, length).getInt();
            if (number != came.get() || length != Transport.FRAME_BYTES) {
                wrong++;
            }
            if (number % 100 == 0) {
                LockSupport.parkNanos(20_000_000); // All that is under way waits for it.
            }
            came.incrementAndGet();
        }

        @Override
        public void onEndpoints(Set<Endpoint> now) {
            others = now;
        }

        Thread sending() {
            return Thread.ofPlatform()
                    .start(() -> {
                        Endpoint to = others.iterator().next();
                        for (int i = 0; i < FRAMES; i++) {
                            byte[] frame = new byte[Transport.FRAME_BYTES];
                            ByteBuffer.wrap(frame).putInt(i);
                            transport.send(to, frame, frame.length);
                        }
                    });
        }

        @Override
        public void close() {
            transport.close();
        }
    }

    @Test
    void two_nodes_that_are_full_of_each_others_frames_get_all_of_them_in_order() throws Exception {
        List<Integer> ports = FreePorts.next(2);
        try (Side one = new Side(ports.get(0), ports);
                Side other = new Side(ports.get(1), ports)) {
            TestNode.await("both", SOON, () -> one.others.size() == 1 && other.others.size() == 1);
            Thread there = one.sending();
            Thread back = other.sending();
            TestNode.await(
                    "every frame",
                    SOON,
                    () -> one.came.get() == FRAMES && other.came.get() == FRAMES);
            there.join();
            back.join();
            assertThat(one.wrong).isZero();
            assertThat(other.wrong).isZero();
        }
    }

    /** Whoever sends it again is not the thread that is there to wait. */
    @Test
    void a_frame_leaves_on_the_thread_that_brings_it_only_once() {
        FrameMessage frame = new FrameMessage(new IpAddress(), new byte[8], 8);
        assertThat(frame.begin()).isTrue();
        assertThat(frame.begin()).isFalse();
    }
}
