package io.godwit.cluster.remote;

import io.godwit.cluster.membership.MembershipSettings;
import io.godwit.cluster.transport.LinkState;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.Outgoing;
import io.godwit.cluster.transport.Resumed;
import io.godwit.cluster.transport.TestLink;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.cluster.transport.Unconfirmed;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.simulation.Scheduler;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** One node's end of a link: messages arrive in order, late, and are confirmed later still. */
final class SimLink extends TestLink {
    private final Scheduler scheduler;
    private final RandomGenerator random;
    private final SimNode self;
    private final SimNode other;
    private final long number;
    private final long room;
    private SimLink twin = this;
    private LinkState state = LinkState.UP;

    /** Offered and not arrived, in order. */
    private final ArrayDeque<Outgoing> under = new ArrayDeque<>();

    /** Offered and not confirmed. */
    private final ArrayDeque<Outgoing> unconfirmed = new ArrayDeque<>();

    private long received;
    private long confirmed;
    private long waitingBytes;
    private long untaken;
    private boolean saidFull;
    private boolean isBusy;
    boolean isUnreadable;

    /** A message takes at most so long behind the one before. */
    int delayMicros;

    /** The clock of each node is ahead of its own by so much, for the other one. */
    static final long PEER_AHEAD_MS = 7_000;

    SimLink(
            Scheduler scheduler,
            RandomGenerator random,
            SimNode self,
            SimNode other,
            long number,
            int delayMicros,
            long room) {
        this.scheduler = scheduler;
        this.random = random;
        this.self = self;
        this.other = other;
        this.number = number;
        this.delayMicros = delayMicros;
        this.room = room;
    }

    void twin(SimLink end) {
        twin = end;
    }

    @Override
    public long localMs(long peerMs) {
        return peerMs - PEER_AHEAD_MS;
    }

    @Override
    public int protocol() {
        return MembershipSettings.PROTOCOL;
    }

    @Override
    public NodeStart peer() {
        return other.start;
    }

    @Override
    public long number() {
        return number;
    }

    @Override
    public LinkState state() {
        return state;
    }

    @Override
    public boolean offer(Outgoing message) {
        if (state == LinkState.DOWN || waitingBytes > 2 * room) {
            return false;
        }
        waitingBytes += message.bytes();
        under.add(message);
        unconfirmed.add(message);
        deliverSoon();
        return true;
    }

    @Override
    public boolean hasRoom(TrafficClass traffic) {
        boolean has = waitingBytes < room;
        saidFull |= !has;
        if (!has) {
            self.met(Met.NO_ROOM);
        }
        return has;
    }

    @Override
    public long waitingBytes(TrafficClass traffic) {
        return waitingBytes;
    }

    @Override
    public void taken(TrafficClass traffic, int length) {
        untaken -= length;
    }

    /** Bytes of messages that have come and that no shard has given back. */
    long untaken() {
        return untaken;
    }

    @Override
    public void broken() {
        isUnreadable = true;
    }

    private void deliverSoon() {
        if (!isBusy && state == LinkState.UP && !under.isEmpty()) {
            isBusy = true;
            scheduler.in(1 + random.nextInt(delayMicros), this::deliver);
        }
    }

    private void deliver() {
        isBusy = false;
        if (state == LinkState.UP) {
            arrive();
            scheduler.in(1 + random.nextInt(delayMicros), () -> confirm(received));
            deliverSoon();
        }
    }

    private void arrive() {
        Outgoing message = under.poll();
        if (message != null) {
            byte[] body = bytes(message);
            received++;
            ByteReader reader = new ByteReader(body);
            if (!other.remote().onMessage(twin, message.type(), reader, body.length)) {
                twin.untaken += body.length;
            }
        }
    }

    private void confirm(long position) {
        if (state == LinkState.DOWN) {
            return;
        }
        while (confirmed < position) {
            confirmed++;
            waitingBytes -= unconfirmed.remove().bytes();
        }
        if (saidFull && waitingBytes < room / 2) {
            saidFull = false;
            self.remote().onRoom(this, TrafficClass.CONNECTIONS);
        }
    }

    // ---------------------------------------------------------------- what happens to it

    void silent(boolean silent) {
        state = silent ? LinkState.SILENT : LinkState.UP;
        if (silent) {
            self.remote().onSilent(this);
        } else {
            self.remote().onHeard(this);
            deliverSoon();
        }
    }

    /** Brings some of what is under way: the peer has it, and this end never hears so. */
    void bringSome() {
        bring(random.nextInt(under.size() + 1));
    }

    void bring(int messages) {
        for (int left = messages; left > 0; left--) {
            arrive();
        }
        if (received > confirmed) {
            self.met(Met.RECEIVED_UNCONFIRMED);
        }
    }

    void end() {
        state = LinkState.DOWN;
    }

    /** Tells the node what was not confirmed, some time after it has ended. */
    void tellDown() {
        List<Unconfirmed> all = new ArrayList<>();
        long position = confirmed;
        for (Outgoing each : unconfirmed) {
            all.add(new Unconfirmed(number, ++position, each));
        }
        if (received < position) {
            self.met(Met.SENT_AGAIN);
        }
        if (received > 0) {
            other.formers.put(self.start, new Resumed(number, 0, 0, 0, received));
        }
        self.remote().onDown(this, all);
    }
}
