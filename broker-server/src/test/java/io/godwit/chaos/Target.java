package io.godwit.chaos;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * A durable session, or a shared group as a whole: its subscriptions and what it received.
 *
 * <pre>
 * a message  must come   when it was sent while a subscription was acknowledged, and was acknowledged
 *            may come    when a subscription was under way, or made while the two nodes were cut off
 *            must not    when the end of the subscription had been acknowledged before it was sent
 * </pre>
 */
final class Target {
    enum Order {
        /** New messages of a stream come in order. */
        KEPT,
        /** Members get what others gave back. */
        SHARED
    }

    private enum Phase {
        ASKED,
        THERE,
        LEAVING,
        GONE
    }

    private static final class Interest {
        final int qos;
        Phase phase = Phase.ASKED;
        int answeredTick;
        int goneTick;

        Interest(int qos) {
            this.qos = qos;
        }
    }

    /**
     * A message that perhaps may stay away: that depends on where the session and its publisher
     * were served when it was sent, which is found out after the fault.
     *
     * @param answeredTick when SUBACK was seen
     * @param cuts when it was sent
     */
    private record Undecided(Stream stream, int seq, int answeredTick, Apart.Cuts cuts) {}

    private final String name;
    private final Order order;
    private final Checker checker;
    private final Map<String, Interest> interests = new LinkedHashMap<>();
    private final Map<Stream, Reception> receptions = new HashMap<>();
    private final PassedOnJobs passedOn = new PassedOnJobs();
    private final List<Undecided> undecided = new ArrayList<>();
    private int connection;
    private int connectedTick;
    private int changedBeforeTick;

    /** When the connection before this one began. */
    private int connectedBeforeTick;

    Target(String name, Order order, Checker checker) {
        this.name = name;
        this.order = order;
        this.checker = checker;
    }

    String name() {
        return name;
    }

    Collection<Reception> receptions() {
        return receptions.values();
    }

    /** SUBSCRIBE leaves; several members of a group may do so. */
    void subscribing(String filter, int qos) {
        Interest now = interests.get(filter);
        if (now == null || now.phase == Phase.GONE || now.phase == Phase.LEAVING) {
            interests.put(filter, new Interest(qos));
        }
    }

    /** SUBACK is here. */
    void subscribed(String filter) {
        Interest interest = Objects.requireNonNull(interests.get(filter));
        if (interest.phase != Phase.THERE) {
            interest.phase = Phase.THERE;
            interest.answeredTick = checker.history.nextTick();
        }
    }

    void unsubscribing(String filter) {
        Objects.requireNonNull(interests.get(filter)).phase = Phase.LEAVING;
        for (Reception each : receptions.values()) {
            if (Filters.matches(filter, each.stream.key.topic())) {
                each.giveUp();
            }
        }
        for (Undecided each : undecided) {
            if (Filters.matches(filter, each.stream.key.topic())) {
                reception(each.stream).excused.clear(each.seq);
            }
        }
        undecided.removeIf(each -> Filters.matches(filter, each.stream.key.topic()));
    }

    void unsubscribed(String filter) {
        Interest interest = Objects.requireNonNull(interests.get(filter));
        interest.phase = Phase.GONE;
        interest.goneTick = checker.history.nextTick();
    }

    /** A connection of the session, or of any member, has begun or ended. */
    void connectionChanged() {
        connection++;
        connectedBeforeTick = changedBeforeTick;
        changedBeforeTick = connectedTick;
        connectedTick = checker.history.nextTick();
    }

    /** The client has noticed that it has no connection any more. */
    void connectionEnded(String by) {
        passedOn.ended(by);
    }

    /** The client was told that its connection was lost between the nodes. */
    void lostBetweenNodes(String by) {
        passedOn.lostBetweenNodes(by);
    }

    /** Reports what another member has got although the first one has kept its connection. */
    void lookAtPassedOn(boolean isLast) {
        long nowNs = System.nanoTime();
        for (PassedOnJobs.Job each : passedOn.wrong(nowNs, checker.heardSinceNs(nowNs), isLast)) {
            report(
                    Violation.Kind.DOUBLE,
                    each.by(),
                    each.mark(),
                    "came twice, first to " + each.before() + ", which is still connected");
        }
    }

    void sent(Stream stream, int seq) {
        boolean isWanted = false;
        int answeredTick = Integer.MAX_VALUE;
        for (Map.Entry<String, Interest> each : interests.entrySet()) {
            Interest interest = each.getValue();
            if (interest.phase == Phase.THERE
                    && Math.min(interest.qos, stream.key.qos()) > 0
                    && Filters.matches(each.getKey(), stream.key.topic())) {
                isWanted = true;
                answeredTick = Math.min(answeredTick, interest.answeredTick);
            }
        }
        if (!isWanted) {
            return;
        }
        Apart.Cuts cuts = checker.apart.now();
        if (cuts.areSomeBefore(answeredTick)) {
            reception(stream).excused.set(seq);
            undecided.add(new Undecided(stream, seq, answeredTick, cuts));
        } else {
            reception(stream).wanted.set(seq);
        }
    }

    /** It was looked where sessions are now: decides what may stay away. */
    void leadersFound() {
        Set<Integer> at = checker.leaders.of(name);
        for (Undecided each : undecided) {
            Set<Integer> from = checker.leaders.of(Client.name(each.stream.key.publisher()));
            if (!each.cuts.mayNotKnow(at, from, each.answeredTick)) {
                reception(each.stream).excused.clear(each.seq);
                reception(each.stream).wanted.set(each.seq);
            }
        }
        undecided.clear();
    }

    /** The disk of a node is lost, and nobody takes over what waits there for a group. */
    void diskLost() {
        if (order == Order.SHARED) {
            receptions.values().forEach(Reception::loseDisk);
        }
    }

    boolean has(Mark mark) {
        Stream stream = checker.streamSent(mark);
        return stream != null && reception(stream).received.get(mark.seq());
    }

    private Reception reception(Stream stream) {
        return receptions.computeIfAbsent(stream, Reception::new);
    }

    /**
     * A message for the application: at QoS 2 not what the packet id shows to be the same.
     *
     * @param by the member of the group, or the session itself
     * @param packetId 0 at QoS 0
     */
    void received(String by, Mark mark, int qos, boolean dup, int packetId) {
        int tick = checker.history.nextTick();
        lookAtPassedOn(false);
        Stream stream = checker.streamSent(mark);
        if (stream == null) {
            report(Violation.Kind.PROTOCOL, by, mark, "was never sent");
            return;
        }
        checkSubscribed(by, stream, mark, qos);
        Reception reception = reception(stream);
        if (reception.received.get(mark.seq())) {
            checkAgain(by, reception, mark, qos, dup, packetId);
        } else if (order == Order.KEPT
                && mark.seq() < reception.highest
                && !missedAtFirst(reception, mark)) {
            report(
                    disorderOf(mark),
                    by,
                    mark,
                    "came for the first time after #"
                            + reception.highest
                            + rounds(stream, mark.seq(), reception));
        }
        if (order == Order.KEPT
                && stream.sentOnce(mark.seq())
                && !willAgain(stream, mark)
                && !mayComeAgain(stream, mark)) {
            checkOnConnection(by, reception, mark);
        }
        reception.received(by, mark.seq(), tick, packetId);
    }

    /** In which rounds a message and the highest one that came before were sent and came. */
    private String rounds(Stream stream, int seq, Reception reception) {
        History history = checker.history;
        int highest = reception.highest;
        return " (sent in round "
                + history.roundOf(stream.sentTick(seq))
                + ", acknowledged in "
                + history.roundOf(stream.ackTick(seq))
                + "; that one was sent in "
                + history.roundOf(stream.sentTick(highest))
                + " and came in "
                + history.roundOf(reception.lastTick(highest))
                + ")";
    }

    /**
     * Perhaps nothing was subscribed when it was sent first, and what came again is new here. At
     * QoS 2 only when the broker has died since: it knows again that some have got it, and not who
     * was to have it.
     */
    private boolean missedAtFirst(Reception reception, Mark mark) {
        Stream stream = reception.stream;
        boolean routedAgain =
                mark.qos() == 1
                        || mark.qos() == 2 && checker.lastKillTick() > stream.sentTick(mark.seq());
        return routedAgain && !stream.sentOnce(mark.seq()) && !reception.wanted.get(mark.seq());
    }

    private void checkSubscribed(String by, Stream stream, Mark mark, int qos) {
        boolean asked = false;
        boolean qosFits = false;
        for (Map.Entry<String, Interest> each : interests.entrySet()) {
            Interest interest = each.getValue();
            if (Filters.matches(each.getKey(), mark.topic())
                    && (interest.phase != Phase.GONE
                            || stream.sentTick(mark.seq()) < interest.goneTick)) {
                asked = true;
                qosFits |= qos == Math.min(interest.qos, mark.qos());
            }
        }
        if (!asked) {
            report(Violation.Kind.NOT_SUBSCRIBED, by, mark, "is nothing that it asked for");
        } else if (!qosFits) {
            report(Violation.Kind.PROTOCOL, by, mark, "came with QoS " + qos);
        }
    }

    private void checkAgain(
            String by, Reception reception, Mark mark, int qos, boolean dup, int packetId) {
        int before = reception.lastTick(mark.seq());
        boolean sentAgain = mark.qos() == 1 && !reception.stream.sentOnce(mark.seq());
        boolean killedSince = checker.lastKillTick() > before;
        if (sentAgain || willAgain(reception.stream, mark)) {
            return; // the broker can't know that it is the same
        }
        if (mayComeAgain(reception.stream, mark) || mayComeToAnother(by, reception, mark)) {
            return;
        }
        if (qos != 1) {
            report(Violation.Kind.DOUBLE, by, mark, "came twice at QoS " + qos);
        } else if (before > connectedTick && !by.equals(reception.lastBy(mark.seq()))) {
            passedOn.add(by, mark, reception.lastBy(mark.seq()), System.nanoTime());
        } else if (before > connectedTick) {
            report(Violation.Kind.DOUBLE, by, mark, "came twice on one connection");
        } else if (order == Order.KEPT && !dup && !killedSince) {
            report(Violation.Kind.DOUBLE, by, mark, "came twice, without DUP");
        } else if (order == Order.KEPT
                && dup
                && packetId != reception.lastPacketId(mark.seq())
                && (!killedSince || before > connectedBeforeTick)) {
            // With more connections between, it may be the second time of an id that was new after
            // the kill, and whose first PUBLISH was lost on the way.
            report(
                    Violation.Kind.PACKET_ID,
                    by,
                    mark,
                    "was id "
                            + reception.lastPacketId(mark.seq())
                            + " and came with DUP as id "
                            + packetId);
        }
    }

    /** A broker that was killed may publish a will of QoS 1 once more. */
    private boolean willAgain(Stream stream, Mark mark) {
        return mark.qos() == 1
                && LastWill.isWill(mark)
                && checker.lastKillTick() > stream.sentTick(mark.seq());
    }

    /** Another node may have sent it once more to one that died. */
    private boolean mayComeAgain(Stream stream, Mark mark) {
        return mark.qos() == 1 && checker.mayComeAgain(stream.sentTick(mark.seq()));
    }

    /** A node has died, and another one may have sent it to a member elsewhere (cluster.md). */
    private boolean mayComeToAnother(String by, Reception reception, Mark mark) {
        return order == Order.SHARED
                && !by.equals(reception.lastBy(mark.seq()))
                && checker.mayComeAgain(reception.stream.sentTick(mark.seq()));
    }

    private void checkOnConnection(String by, Reception reception, Mark mark) {
        if (reception.connection != connection) {
            reception.connection = connection;
            reception.highestOnConnection = 0;
        }
        if (mark.seq() < reception.highestOnConnection) {
            report(
                    disorderOf(mark),
                    by,
                    mark,
                    "came on one connection after #" + reception.highestOnConnection);
        }
        reception.highestOnConnection = Math.max(reception.highestOnConnection, mark.seq());
    }

    private static Violation.Kind disorderOf(Mark mark) {
        return LastWill.isWill(mark) ? Violation.Kind.WILL_DISORDER : Violation.Kind.DISORDER;
    }

    private void report(Violation.Kind kind, String by, Mark mark, String text) {
        String client = by.equals(name) ? name : name + " by " + by;
        checker.report(kind, by, mark, mark + " at " + client + " " + text);
    }
}
