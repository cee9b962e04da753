package io.godwit.cluster.simulation;

import io.godwit.cluster.membership.Nodes;
import io.godwit.cluster.transport.Handlers;
import io.godwit.cluster.transport.MessageHandler;
import io.godwit.cluster.transport.MessageType;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.cluster.transport.PeerListener;
import io.godwit.cluster.transport.Resumed;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.cluster.transport.Unconfirmed;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.simulation.Scheduler;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * What uses the links of one process: offers messages, and keeps each publish until control
 * messages have gone to the publisher and back: what frees the one class goes by the other.
 */
final class Rooms implements PeerListener, MessageHandler {

    /** Of one link: the next number of each class, and publishes that are kept. */
    private static final class Use {
        final Map<TrafficClass, Long> next = new HashMap<>();
        final ArrayDeque<Integer> kept = new ArrayDeque<>();
        int owed;
    }

    private final Process process;
    private final Checker checker;
    private final Scheduler scheduler;
    private final RandomGenerator random;
    private final Map<PeerLink, Use> uses = new HashMap<>();

    Rooms(Process process, Checker checker, Scheduler scheduler, RandomGenerator random) {
        this.process = process;
        this.checker = checker;
        this.scheduler = scheduler;
        this.random = random;
    }

    void register(Handlers handlers) {
        TestMessage.TYPES.values().forEach(type -> handlers.with(this, type));
    }

    /** Offers a message to somebody. */
    void offerOne() {
        List<PeerLink> links = List.copyOf(process.links().links());
        if (links.isEmpty() || process.isStopped()) {
            return;
        }
        PeerLink link = links.get(random.nextInt(links.size()));
        TrafficClass traffic =
                TrafficClass.values()[random.nextInt(10) < 7 ? 0 : random.nextInt(4)];
        if (!link.hasRoom(traffic)) {
            checker.noRoom();
            return;
        }
        int filling = random.nextInt(random.nextInt(40) == 0 ? 120_000 : 300);
        offer(
                link,
                traffic,
                traffic == TrafficClass.PUBLISHES ? TestMessage.KEEP : TestMessage.PLAIN,
                filling);
    }

    private void offer(PeerLink link, TrafficClass traffic, int kind, int filling) {
        Use use = uses.get(link);
        if (use == null) {
            return;
        }
        long number = use.next.getOrDefault(traffic, 1L);
        TestMessage message =
                new TestMessage(
                        TestMessage.TYPES.get(traffic), link.number(), number, kind, filling);
        if (link.offer(message)) {
            use.next.put(traffic, number + 1);
            checker.offered(process, link, message);
        }
    }

    @Override
    public boolean onMessage(PeerLink from, MessageType type, ByteReader body, int length) {
        long link = body.varint();
        long number = body.varint();
        int kind = body.u8();
        checker.received(process, from, type.traffic(), link, number, length);
        Use use = uses.get(from);
        if (use == null) {
            return true;
        }
        switch (kind) {
            case TestMessage.KEEP -> {
                use.kept.add(length);
                scheduler.in(1 + random.nextInt(10_000), () -> answer(from, use));
                return false;
            }
            case TestMessage.GOT -> offer(from, TrafficClass.CONTROL, TestMessage.RELEASE, 0);
            case TestMessage.RELEASE -> from.taken(TrafficClass.PUBLISHES, use.kept.remove());
            default -> {}
        }
        return true;
    }

    private void answer(PeerLink from, Use use) {
        if (process.isStopped()) {
            use.owed++;
        } else {
            offer(from, TrafficClass.CONTROL, TestMessage.GOT, 10);
        }
    }

    /** After waking: what was owed. */
    void awake() {
        uses.forEach((link, use) -> {
            for (; use.owed > 0; use.owed--) {
                offer(link, TrafficClass.CONTROL, TestMessage.GOT, 10);
            }
        });
    }

    @Override
    public void onUp(PeerLink link, Resumed resumed) {
        uses.put(link, new Use());
        checker.up(process, link, resumed);
    }

    @Override
    public void onSilent(PeerLink link) {
        checker.silent(process, link);
    }

    @Override
    public void onHeard(PeerLink link) {
        checker.heard(process, link);
    }

    @Override
    public void onDown(PeerLink link, List<Unconfirmed> unconfirmed) {
        uses.remove(link);
        checker.down(process, link, unconfirmed);
    }

    @Override
    public void onRoom(PeerLink link, TrafficClass traffic) {
        checker.room();
    }

    void onNodes(Nodes nodes) {
        checker.nodes(process, nodes);
    }
}
