package io.godwit.cluster.transport;

import io.godwit.cluster.ClusterRule;
import io.godwit.cluster.ClusterRules;
import io.godwit.core.operation.ByteWriter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One link from its opening to its end: what goes out, what comes in, and whether the peer is
 * heard.
 *
 * <p><em>Concurrency.</em> Rooms offer and take on any thread. One thread at a time is inside each
 * of the two gates: the peer's sending thread packs frames in one, the transport's thread reads
 * them in the other. State and time belong to the thread of the links, which closes both gates at
 * the end and then gathers what is left.
 */
final class Link implements PeerLink {
    private static final Logger LOG = LoggerFactory.getLogger(Link.class);

    private final LinkName name;
    private final Endpoint endpoint;
    private final int protocol;
    private final ClusterRules rules;
    private final long peerTimeoutMs;
    private final long heartbeatMs;
    private final Outbound outbound;
    private final Inbound inbound;
    private final Gate sending = new Gate();
    private final Gate receiving = new Gate();
    private final Runnable wakeSender;
    private final LinkCounters counters;

    /** The peer has said that it takes data of this link. */
    private volatile boolean peerOpen;

    private volatile boolean frameDue;
    private volatile boolean overrun;
    private volatile boolean faulty;
    private volatile boolean unreadable;
    private volatile LinkState state = LinkState.UP;

    private long silentMs;
    private long unconfirmedMs;
    private long idleMs;
    private long framesBefore;
    private long framesHeardBefore;

    Link(LinkName name, Endpoint endpoint, int protocol, LinkContext context, Runnable wakeSender) {
        this.name = name;
        this.endpoint = endpoint;
        this.protocol = protocol;
        this.rules = context.rules();
        this.peerTimeoutMs = context.settings().peerTimeoutMs();
        this.heartbeatMs = context.settings().heartbeatMs();
        this.counters = context.counters();
        this.wakeSender = wakeSender;
        outbound = new Outbound(name, protocol, context);
        inbound = new Inbound(this, name, context);
    }

    LinkName name() {
        return name;
    }

    @Override
    public Endpoint endpoint() {
        return endpoint;
    }

    @Override
    public NodeStart peer() {
        return name.far();
    }

    @Override
    public long number() {
        return name.nearLink();
    }

    @Override
    public int protocol() {
        return protocol;
    }

    @Override
    public LinkState state() {
        return state;
    }

    @Override
    public boolean offer(Outgoing message) {
        boolean control = message.type().traffic() == TrafficClass.CONTROL;
        if (control && overrun) {
            return false;
        }
        Outbox outbox = outbound.outbox(message.type().traffic());
        switch (outbox.offer(message, control)) {
            case TAKEN -> {
                if (control && outbox.isOverrun()) {
                    overrun = true;
                }
                wakeSender.run();
                return true;
            }
            case TOO_MUCH -> counters.increment(LinkMetric.OFFERS_REFUSED);
            case ENDED -> {}
        }
        return false;
    }

    @Override
    public boolean hasRoom(TrafficClass traffic) {
        return outbound.outbox(traffic).hasRoom();
    }

    @Override
    public long waitingBytes(TrafficClass traffic) {
        return outbound.outbox(traffic).bytes();
    }

    @Override
    public long receivedBytes(TrafficClass traffic) {
        return inbound.receivedBytes(traffic);
    }

    @Override
    public void taken(TrafficClass traffic, int length) {
        if (inbound.take(traffic, length)) {
            wakeSender.run();
        }
    }

    @Override
    public long localMs(long peerMs) {
        return inbound.localMs(peerMs);
    }

    @Override
    public void broken() {
        unreadable = true;
    }

    /** A room could not read what has come. */
    boolean isUnreadable() {
        return unreadable;
    }

    LinkFigures figures() {
        return new LinkFigures(
                peer(),
                number(),
                endpoint.toString(),
                state,
                protocol,
                outbound.bytes(),
                inbound.bytes(),
                outbound.frames(),
                inbound.framesReceived(),
                figures(TrafficClass.PUBLISHES),
                figures(TrafficClass.APPENDS),
                figures(TrafficClass.CONTROL),
                figures(TrafficClass.CONNECTIONS),
                figures(TrafficClass.QUESTIONS));
    }

    private LinkFigures.OfClass figures(TrafficClass traffic) {
        return new LinkFigures.OfClass(
                inbound.position(traffic),
                waitingBytes(traffic),
                receivedBytes(traffic),
                outbound.creditLeft(traffic));
    }

    /** The peer is open: what waits may leave. */
    void onPeerOpen() {
        peerOpen = true;
        frameDue = true; // The first frame tells the peer its credit.
        wakeSender.run();
    }

    /**
     * Packs the next frame, on the sending thread.
     *
     * @return whether there was something to say
     */
    boolean pack(ByteWriter frame) {
        if (!sending.enter()) {
            return false;
        }
        boolean packed = false;
        try {
            boolean open = peerOpen || !rules.holds(ClusterRule.OPEN_BEFORE_DATA);
            open &= !faulty;
            if (open && (frameDue || outbound.hasSomething() || inbound.hasNews())) {
                frameDue = false;
                outbound.pack(frame, inbound);
                packed = true;
            }
        } catch (RuntimeException e) {
            // The frame is lost, and which messages it had: the link ends.
            LOG.error("Link {}: a message could not be written", this, e);
            faulty = true;
        } finally {
            sending.leave();
        }
        return packed;
    }

    /**
     * Reads a data frame, on the transport's thread.
     *
     * @param listener is told where there is room again
     */
    Inbound.Outcome read(byte[] frame, int offset, int length, PeerListener listener) {
        if (!receiving.enter()) {
            return Inbound.Outcome.OLD;
        }
        Inbound.Outcome outcome;
        try {
            outcome = inbound.read(frame, offset, length, outbound);
            for (TrafficClass each : TrafficClass.values()) {
                if (outbound.outbox(each).takeRoomAgain()) {
                    listener.onRoom(this, each);
                }
            }
        } finally {
            receiving.leave();
        }
        if (outbound.hasSomething() || inbound.hasNews()) {
            wakeSender.run(); // Credit has come, or is to be given.
        }
        return outcome;
    }

    /**
     * Time has passed.
     *
     * @param elapsedMs since the last call, as far as the own loop ran
     * @param passedMs since the last call, all of it: so the peer counts
     * @return whether the state has changed
     */
    boolean tick(long elapsedMs, long passedMs) {
        boolean heard = inbound.takeHeard();
        silentMs = heard ? 0 : silentMs + elapsedMs;
        long framesHeard = outbound.framesHeard();
        boolean confirmed = framesHeard > framesHeardBefore || framesHeard == outbound.frames();
        unconfirmedMs = confirmed ? 0 : unconfirmedMs + elapsedMs;
        framesHeardBefore = framesHeard;
        keepAlive(passedMs);
        long worst =
                rules.holds(ClusterRule.CONFIRMATIONS_COUNT)
                        ? Math.max(silentMs, unconfirmedMs)
                        : silentMs;
        if (state == LinkState.UP && worst >= peerTimeoutMs) {
            state = LinkState.SILENT;
            return true;
        }
        if (state == LinkState.SILENT && heard && worst < peerTimeoutMs) {
            state = LinkState.UP;
            return true;
        }
        return false;
    }

    private void keepAlive(long passedMs) {
        long frames = outbound.frames();
        idleMs = frames > framesBefore ? 0 : idleMs + passedMs;
        framesBefore = frames;
        if (idleMs >= heartbeatMs || inbound.hasUntold()) {
            frameDue = true;
            wakeSender.run();
        }
    }

    /** The peer takes in nothing of what it must: the link is to end. */
    boolean isOverrun() {
        return overrun;
    }

    /** A room could not write its message. */
    boolean isFaulty() {
        return faulty;
    }

    /** Nothing has come for so long, while the own loop ran. */
    long silentMs() {
        return silentMs;
    }

    /** Takes and gives nothing any more. */
    void end() {
        state = LinkState.DOWN;
        for (TrafficClass each : TrafficClass.values()) {
            outbound.outbox(each).end();
        }
        sending.close();
        receiving.close();
    }

    /**
     * Gathers what was not confirmed, in the order of each class.
     *
     * @return null when a thread is still inside: to be called again
     */
    @Nullable List<Unconfirmed> unconfirmed() {
        if (!sending.isClosed() || !receiving.isClosed()) {
            return null;
        }
        boolean all = true;
        for (TrafficClass each : TrafficClass.values()) {
            all &= outbound.outbox(each).drain();
        }
        if (!all) {
            return null;
        }
        List<Unconfirmed> unconfirmed = new ArrayList<>();
        for (TrafficClass each : TrafficClass.values()) {
            unconfirmed.addAll(outbound.outbox(each).drained());
        }
        return unconfirmed;
    }

    /** Whether anything has come here by this link. */
    boolean hasReceived() {
        return inbound.framesReceived() > 0;
    }

    /** What has come here by this link, as the peer is told at the next one. */
    Resumed received() {
        return new Resumed(
                name.farLink(),
                inbound.position(TrafficClass.PUBLISHES),
                inbound.position(TrafficClass.APPENDS),
                inbound.position(TrafficClass.CONTROL),
                inbound.position(TrafficClass.CONNECTIONS));
    }

    @Override
    public String toString() {
        return name.toString();
    }
}
