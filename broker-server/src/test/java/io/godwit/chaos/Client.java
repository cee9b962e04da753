package io.godwit.chaos;

import io.godwit.conformance.wire.ConnectBytes;
import io.godwit.conformance.wire.Frame;
import io.godwit.conformance.wire.Props;
import java.net.InetSocketAddress;
import java.nio.channels.Selector;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** A client with a durable session that it never forgets itself. */
final class Client {
    /** The last packet id for PUBLISH; those above are for SUBSCRIBE and UNSUBSCRIBE. */
    static final int PUBLISH_IDS = 60_000;

    private static final long EXPIRY_S = 3_600;
    private static final int RECEIVE_MAXIMUM = 40;

    /** Until a client that was refused tries again. */
    private static final int REFUSED_MS = 50;

    private static final byte[] DISCONNECT = {(byte) 0xE0, 0};

    /** Also where the node that serves a connection is not in reach of the client's. */
    private static final int SERVER_SHUTTING_DOWN = 0x8B;

    private final int number;
    private final Habits habits;
    private final Scene scene;
    private final SplittableRandom random;
    private final Target target;
    private final Outbound outbound;
    private final Inbound inbound;
    private final Subscriptions subscriptions;
    private final @Nullable LastWill will;
    private @Nullable Connection connection;
    private int edge;
    private boolean online;
    private boolean connectedBefore;
    private int connects;

    /** When the outage of now began; 0 when there is none. */
    private long outSinceMs;

    /** The fault that was going on then. */
    private String outDuring = "";

    /** Connections that it has tried in the outage; it has itself ended the one before. */
    private int outTries;

    private boolean isOutByItself;
    private long awayUntilMs;
    private long leaveAtMs;
    private boolean absent;
    private boolean settling;
    private boolean called = true;

    Client(int number, Habits habits, Scene scene, SplittableRandom random) {
        this.number = number;
        this.habits = habits;
        this.scene = scene;
        this.random = random;
        String group = habits.group();
        target =
                group == null
                        ? scene.checker().target(name(), Target.Order.KEPT)
                        : scene.checker().target("group " + group, Target.Order.SHARED);
        outbound = new Outbound(this, habits, random.split());
        inbound = new Inbound(this, target, habits.acking(), random.split());
        subscriptions = new Subscriptions(this, target, habits, random.split());
        will = habits.will() == null ? null : new LastWill(this, habits.will());
    }

    String name() {
        return name(number);
    }

    static String name(int number) {
        return "client-" + number;
    }

    int number() {
        return number;
    }

    /** Whether its connection is, or was last, to this node. */
    boolean isAt(int node) {
        return edge == node;
    }

    Scene scene() {
        return scene;
    }

    Outbound outbound() {
        return outbound;
    }

    /** A round begins: some stay away for all of it, the others come one after the other. */
    void roundBegins(long nowMs) {
        absent =
                switch (habits.attendance()) {
                    case ALWAYS, FLAKY -> false;
                    case RARE -> random.nextInt(5) > 1;
                    case ON_CALL -> !called;
                };
        awayUntilMs = nowMs + random.nextInt(150);
    }

    /**
     * Tells a client with {@link Habits.Attendance#ON_CALL} whether it should be there from now on.
     */
    void call(boolean come) {
        called = come;
        absent = !come;
    }

    /** Whether it publishes nothing new for now. */
    void pause(boolean paused) {
        outbound.pause(paused);
    }

    /** Everyone comes, stays, and only receives. */
    void settle(long nowMs) {
        settling = true;
        absent = false;
        awayUntilMs = Math.min(awayUntilMs, nowMs + random.nextInt(50));
        outbound.pause(true);
        subscriptions.stop();
        inbound.hurry();
    }

    boolean settled() {
        return online && outbound.idle() && inbound.idle() && subscriptions.idle();
    }

    String unsettled() {
        return name()
                + (online ? "" : " is not connected")
                + " publishes "
                + outbound
                + " receives "
                + inbound;
    }

    /**
     * @param nodes where each listens; null while it does not
     */
    void tick(Selector selector, @Nullable InetSocketAddress[] nodes, long nowMs) {
        if (connection == null) {
            if (absent) {
                outSinceMs = 0; // It does not want to be served.
            }
            if (!absent && nowMs >= awayUntilMs) {
                // Any node does, whichever serves the session. It comes again soon if none is
                // there.
                edge = nodes.length == 1 ? 0 : random.nextInt(nodes.length);
                InetSocketAddress at = nodes[edge];
                if (at != null) {
                    connect(selector, at, nowMs);
                }
            }
            return;
        }
        if (online) {
            boolean flaky = habits.attendance() == Habits.Attendance.FLAKY && !settling;
            if (absent || flaky && nowMs >= leaveAtMs) {
                leave(nowMs);
                return;
            }
            outbound.tick(nowMs);
            subscriptions.tick(nowMs);
            inbound.tick(nowMs);
        }
        connection.flush();
    }

    private void outageBegins(long nowMs, boolean isByItself) {
        outSinceMs = nowMs;
        outDuring = scene.outages().fault();
        outTries = 0;
        isOutByItself = isByItself;
    }

    private void outageEnds(long nowMs) {
        long ms = nowMs - outSinceMs;
        if (!isOutByItself || outTries > 1 || ms >= Outages.LONG_MS) {
            scene.outages().ended(outDuring, ms);
        }
        outSinceMs = 0;
    }

    private void connect(Selector selector, InetSocketAddress broker, long nowMs) {
        connection = Connection.open(selector, broker, this, habits.v5());
        if (connection == null) {
            awayUntilMs = nowMs + 20;
            return;
        }
        if (outSinceMs == 0) {
            outageBegins(nowMs, true);
        }
        outTries++;
        leaveAtMs = nowMs + 100 + random.nextInt(700);
        ConnectBytes connect =
                habits.v5()
                        ? ConnectBytes.v5(name())
                                .properties(
                                        Props.sessionExpiry(EXPIRY_S),
                                        Props.receiveMaximum(RECEIVE_MAXIMUM))
                        : ConnectBytes.v311(name());
        note("connects");
        connects++;
        scene.tally().count(Happening.CONNECTS);
        if (will != null) {
            will.write(connect);
        }
        connection.send(connect.clean(false).bytes());
        connection.flush();
        target.connectionChanged();
    }

    private void leave(long nowMs) {
        awayUntilMs = nowMs + 20 + random.nextInt(400);
        if (random.nextBoolean()) {
            note("disconnects");
            scene.tally().count(Happening.LEFT_ORDERLY);
            send(DISCONNECT);
            Objects.requireNonNull(connection).flush();
            if (will != null) {
                will.waived();
            }
        } else {
            note("closes its socket");
            scene.tally().count(Happening.LEFT_WITHOUT_A_WORD);
        }
        ended();
    }

    /**
     * A node stops in order, and keeps the sessions that it serves.
     *
     * @param node null: it has started again
     */
    void nodeIsLeaving(@Nullable Integer node) {
        if (will != null) {
            will.nodeIsLeaving(node);
        }
    }

    /** A node has ended. */
    void nodeHasEnded(int node) {
        if (will != null) {
            will.nodeHasEnded(node);
        }
    }

    /** The network fails. */
    void cut() {
        if (connection != null) {
            note("is cut off");
            lost(Crowd.nowMs());
        }
    }

    /** The connection has ended, and not by the client. */
    private void lost(long nowMs) {
        if (outSinceMs == 0) {
            outageBegins(nowMs, false);
        }
        if (!online) {
            awayUntilMs = Math.max(awayUntilMs, nowMs + REFUSED_MS); // It was not let in.
        }
        ended();
    }

    private void ended() {
        Objects.requireNonNull(connection).close();
        connection = null;
        online = false;
        if (will != null) {
            will.connectionEnded();
        }
        inbound.connectionEnded();
        target.connectionEnded(name());
        target.connectionChanged();
    }

    /** The socket has something. */
    void onReadable(long nowMs) {
        Connection from = connection;
        if (from == null) {
            return;
        }
        boolean open = from.fill();
        try {
            Frame frame;
            while (connection == from && (frame = from.next()) != null) {
                onFrame(frame, nowMs);
            }
        } catch (AssertionError e) {
            broken("a packet that is none: " + e.getMessage());
        }
        if (!open && connection == from) {
            note("has lost the connection");
            lost(nowMs);
        }
    }

    private void onFrame(Frame frame, long nowMs) {
        switch (frame.type()) {
            case 2 -> onConnAck(frame.connAck(), nowMs);
            case 3 -> inbound.onPublish(frame.publish(), nowMs);
            case 4 -> outbound.onPubAck(frame.ack(4));
            case 5 -> outbound.onPubRec(frame.ack(5));
            case 6 -> inbound.onPubRel(frame.ack(6).packetId(), nowMs);
            case 7 -> outbound.onPubComp(frame.ack(7));
            case 9 -> subscriptions.onAnswer(frame.subAck(), true);
            case 11 -> subscriptions.onAnswer(frame.unsubAck(), false);
            case 14 -> onDisconnect(frame.disconnect().reason());
            default -> broken("a packet of type " + frame.type());
        }
    }

    private void onDisconnect(int reason) {
        note("gets DISCONNECT " + Integer.toHexString(reason));
        if (reason == SERVER_SHUTTING_DOWN) {
            target.lostBetweenNodes(name());
        }
    }

    private void onConnAck(Frame.ConnAck answer, long nowMs) {
        note("has CONNACK " + answer.reason() + (answer.sessionPresent() ? ", session" : ""));
        if (answer.reason() != 0) {
            return; // the broker closes; the next connection tries again
        }
        if (answer.sessionPresent()) {
            scene.tally().count(Happening.SESSIONS_PRESENT);
            if (connects == 1) {
                scene.checker()
                        .report(
                                Violation.Kind.PROTOCOL,
                                name(),
                                null,
                                "session present at the first CONNECT");
            }
        } else {
            if (connectedBefore) {
                scene.checker()
                        .report(Violation.Kind.SESSION_LOST, name(), null, "no session present");
            }
            outbound.forget();
            inbound.forget();
            subscriptions.forget();
        }
        outageEnds(nowMs);
        online = true;
        connectedBefore = true;
        if (will != null) {
            will.accepted();
        }
        outbound.resume();
        subscriptions.begin();
    }

    void send(byte[] packet) {
        if (connection != null) {
            connection.send(packet);
        }
    }

    void note(String what) {
        scene.history().note(name(), what);
    }

    void note(String what, Object subject) {
        note(what, subject, 0);
    }

    void note(String what, @Nullable Object subject, int packetId) {
        scene.history().note(name(), what, subject, packetId);
    }

    /** The broker said what it must not say. */
    void broken(String text) {
        scene.checker().report(Violation.Kind.PROTOCOL, name(), null, text);
    }
}
