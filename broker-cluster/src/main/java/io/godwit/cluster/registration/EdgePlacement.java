package io.godwit.cluster.registration;

import io.godwit.cluster.registration.DueWills.Due;
import io.godwit.cluster.registration.EdgeQuestion.State;
import io.godwit.cluster.registration.RegistrationMessage.End;
import io.godwit.cluster.registration.RegistrationMessage.Ended;
import io.godwit.cluster.registration.RegistrationMessage.Granted;
import io.godwit.cluster.registration.RegistrationMessage.HasSession;
import io.godwit.cluster.registration.RegistrationMessage.NotLeader;
import io.godwit.cluster.registration.RegistrationMessage.PublishWill;
import io.godwit.cluster.registration.RegistrationMessage.Refused;
import io.godwit.cluster.registration.RegistrationMessage.Register;
import io.godwit.cluster.registration.RegistrationMessage.ToEdge;
import io.godwit.cluster.registration.RegistrationMessage.Unregister;
import io.godwit.cluster.registration.RegistrationMessage.WillAnswered;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.auth.Security.SessionOwner;
import io.godwit.core.connection.AuthenticatedConnect;
import io.godwit.core.connection.Placement;
import io.godwit.core.connection.Placement.Pipe;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Will;
import io.godwit.core.session.WillKeeper;
import io.godwit.core.takeover.ClaimingUser;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Asks the leader of each client id's slot for the connections of one shard, and keeps those with
 * Session Expiry 0 registered there.
 *
 * <pre>
 * question   trigger                                   next
 * LEADER     the leader is in reach; Expiry 0, or self ANSWER (Register has left)
 * LEADER     the leader is in reach; above 0           OPENING
 * ANSWER     Granted                                   DONE (here)
 * ANSWER     HasSession                                OPENING
 * ANSWER     Refused                                   DONE (refused)
 * OPENING    opened                                    DONE (elsewhere)
 * OPENING    lost: the leader may have opened it       DONE (closed without CONNACK)
 * ANSWER,    not the leader                            LEADER if another is known, else PAUSE
 * OPENING
 * LEADER,    another leader, or that start has ended   LEADER
 * ANSWER,
 * PAUSE
 * PAUSE      some time has passed                      LEADER
 * OPENING    claim-wait is over, leader out of reach   DONE (closed without CONNACK)
 * others     claim-wait is over, leader out of reach   DONE (refused 0x88)
 * any        withdrawn                                 DONE
 * </pre>
 *
 * A connection is opened once. Whoever was asked to open it answers, whatever becomes of the slot;
 * only a node that says that it is no leader, or that could not be asked, certainly has not run it.
 * Otherwise the leader could accept one CONNECT twice, publish its Will twice, and tell a new
 * client of a session. To register again is harmless: it makes neither a Will nor a session.
 *
 * <p>An answer counts only from the node that was asked, under the epoch and number with which it
 * was asked last. A new leader is told the registered connections before it is asked anything.
 * While the leader is out of reach, its stand-in takes its place for connections with Session
 * Expiry 0 and Clean Start. Wills of these connections go with them to whoever grants the client
 * id, and are published there ({@link DueWills}, {@link LeaderWills}).
 */
public final class EdgePlacement implements Placement {
    private static final String OUT_OF_REACH =
            "the cluster node that is responsible for this client identifier is out of reach;"
                    + " try again later";
    private static final String UNANSWERED =
            "the cluster node that is responsible for this client identifier has not answered its"
                    + " CONNECT";

    private final NodeStart self;
    private final int shard;
    private final int shards;
    private final RegistrationTimes times;
    private final SessionOwner sessionOwner;
    private final ShardTurns turns;
    private final Leaders leaders;
    private final RemoteOpener opener;
    private final RegistrationOutbox outbox;

    private final Map<Long, EdgeQuestion> questions = new LinkedHashMap<>();
    private final EdgeRegistrations registrations;
    private final DueWills wills;
    private long lastNumber;

    EdgePlacement(
            NodeStart self,
            int shard,
            int shards,
            RegistrationTimes times,
            SessionOwner sessionOwner,
            ShardTurns turns,
            Leaders leaders,
            RemoteOpener opener,
            RegistrationOutbox outbox,
            EdgeRegistrations registrations) {
        this.self = self;
        this.shard = shard;
        this.shards = shards;
        this.times = times;
        this.sessionOwner = sessionOwner;
        this.turns = turns;
        this.leaders = leaders;
        this.opener = opener;
        this.outbox = outbox;
        this.registrations = registrations;
        this.wills = new DueWills(self, leaders, outbox, registrations);
    }

    /** Counts the connections that wait for their place. */
    public int questions() {
        return questions.size();
    }

    /** Counts the Wills that are due and not settled. */
    int dueWills() {
        return wills.size();
    }

    /** Counts the connections at this node that are registered, or have a claim under way. */
    public int stays() {
        return registrations.size();
    }

    // ---------------------------------------------------------------- asking

    @Override
    public Question ask(AuthenticatedConnect connect, Asking asking) {
        ClaimingUser by =
                sessionOwner == SessionOwner.USER
                        ? ClaimingUser.of(connect.identity().userName())
                        : null;
        EdgeQuestion question = new EdgeQuestion(this, nextNumber(), connect, by, asking);
        question.deadlineMs = turns.nowMs() + times.claimWaitMs();
        questions.put(question.number, question);
        arm(question, question.deadlineMs);
        place(question);
        return question;
    }

    private long nextNumber() {
        return ++lastNumber * shards + shard;
    }

    @Override
    public boolean leads(int slot) {
        Leader leader = leaders.leader(slot);
        return leader != null && leader.node().equals(self);
    }

    @Override
    public long patienceMs() {
        return times.peerTimeoutMs();
    }

    @Override
    public boolean passEarlierWill(ClientId clientId, Will will, WillKeeper.Passed then) {
        wills.begin(new Due(clientId, nextNumber(), will, then, null));
        return true;
    }

    /** Asks the leader or its stand-in, if it is in reach. */
    private void place(EdgeQuestion question) {
        Leader leader = granter(question);
        question.state = State.LEADER;
        question.asked = leader;
        if (leader == null
                || !outbox.isHeard(leader.node())
                || !registrations.isTold(question.slot, leader)) {
            return;
        }
        if (question.connect.isDurable() && !leader.node().equals(self)) {
            open(question, leader);
            return;
        }
        question.state = State.ANSWER;
        outbox.send(
                leader.node(),
                leader.standsIn(),
                new Register(
                        question.connect.clientId(),
                        question.number,
                        leader.changes(),
                        question.connect.connect().cleanStart(),
                        question.connect.connectedMs(),
                        leader.node().equals(self) ? null : question.connect.connect().will(),
                        question.by));
    }

    /** Returns who is to be asked: the leader, or its stand-in if it is out of reach. */
    private @Nullable Leader granter(EdgeQuestion question) {
        Leader leader = leaders.leader(question.slot);
        boolean isInReach = leader != null && outbox.isHeard(leader.node());
        Leader standIn =
                isInReach || !question.mayBeStoodIn() ? null : leaders.standIn(question.slot);
        return standIn == null ? leader : standIn;
    }

    private void open(EdgeQuestion question, Leader leader) {
        question.state = State.OPENING;
        RemoteOpener.Answer answer =
                new RemoteOpener.Answer() {
                    @Override
                    public void opened(Pipe pipe) {
                        if (isAwaited()) {
                            finish(question);
                            question.asking.elsewhere(pipe);
                        }
                    }

                    @Override
                    public void notLeader(byte[] row) {
                        if (isAwaited()) {
                            question.state = State.PAUSE; // Another leader may be asked at once.
                            onNotLeader(question, row);
                        }
                    }

                    @Override
                    public void unreachable() {
                        if (isAwaited()) {
                            pause(question);
                        }
                    }

                    @Override
                    public void lost() {
                        if (isAwaited()) {
                            finish(question);
                            question.asking.endUnanswered(UNANSWERED);
                        }
                    }

                    private boolean isAwaited() {
                        return question.state == State.OPENING && question.asked == leader;
                    }
                };
        RemoteOpener.Opening opening = opener.open(leader.node(), question.connect, answer);
        if (question.state == State.OPENING && question.asked == leader) {
            question.opening = opening;
        }
    }

    private void onNotLeader(EdgeQuestion question, byte[] row) {
        question.opening = null;
        Leader before = question.asked;
        leaders.merge(row);
        if (question.asked != before || question.state == State.DONE) {
            return;
        }
        if (isAskedInVain(question)) {
            place(question); // The leader has changed while this one was asked.
        } else {
            pause(question);
        }
    }

    /** Asks again after some time, or when the leader changes: there is no loop without advance. */
    private void pause(EdgeQuestion question) {
        question.opening = null;
        question.state = State.PAUSE;
        arm(question, turns.nowMs() + RegistrationTimes.ASK_AGAIN_MS);
    }

    private void arm(EdgeQuestion question, long deadlineMs) {
        question.timerMs = deadlineMs;
        turns.arm(question, deadlineMs);
    }

    void onTimer(EdgeQuestion question, long nowMs) {
        if (nowMs - question.timerMs > RegistrationTimes.PAUSE_MS) {
            question.deadlineMs = nowMs + RegistrationTimes.PAUSE_MS; // This process has slept.
            arm(question, question.deadlineMs);
            return;
        }
        Leader asked = question.asked;
        boolean isInReach =
                (question.state == State.ANSWER || question.state == State.OPENING)
                        && asked != null
                        && outbox.isHeard(asked.node());
        if (isInReach) {
            arm(question, nowMs + times.claimWaitMs());
        } else if (nowMs >= question.deadlineMs) {
            boolean mayBeOpened = question.state == State.OPENING;
            withdraw(question);
            if (mayBeOpened) {
                question.asking.endUnanswered(UNANSWERED);
            } else {
                question.asking.refused(ReasonCode.SERVER_UNAVAILABLE, OUT_OF_REACH);
            }
        } else {
            arm(question, question.deadlineMs);
            if (question.state == State.PAUSE) {
                place(question);
            }
        }
    }

    void withdraw(EdgeQuestion question) {
        if (question.state != State.DONE) {
            endAtLeader(question);
            finish(question);
        }
    }

    /** Takes back what was asked of the leader. */
    private void endAtLeader(EdgeQuestion question) {
        Leader asked = question.asked;
        RemoteOpener.Opening opening = question.opening;
        question.opening = null;
        if (opening != null) {
            opening.withdraw();
        } else if (question.state == State.ANSWER && asked != null) {
            outbox.send(
                    asked.node(),
                    asked.standsIn(),
                    new Unregister(question.connect.clientId(), question.number));
        }
    }

    private void finish(EdgeQuestion question) {
        question.state = State.DONE;
        question.opening = null;
        questions.remove(question.number);
        turns.cancel(question);
    }

    // ---------------------------------------------------------------- answers

    /**
     * @param isStandIn whether the sender answers as a stand-in
     */
    void onMessage(NodeStart from, ToEdge message, boolean isStandIn) {
        switch (message) {
            case End end -> onEnd(from, isStandIn, end);
            case WillAnswered m -> wills.onAnswer(from, m);
            case PublishWill m -> wills.publish(from, m);
            case Granted m -> {
                EdgeQuestion question = awaited(from, m.changes(), isStandIn, m.number());
                if (question != null) {
                    finish(question);
                    goOnHere(question, m.grantedAt());
                }
            }
            case HasSession m -> {
                EdgeQuestion question = awaited(from, m.changes(), isStandIn, m.number());
                if (question != null && question.asked != null) {
                    open(question, question.asked);
                }
            }
            case NotLeader m -> {
                EdgeQuestion question = awaited(from, m.changes(), isStandIn, m.number());
                if (question != null) {
                    onNotLeader(question, m.row());
                }
            }
            case Refused m -> {
                EdgeQuestion question = awaited(from, m.changes(), isStandIn, m.number());
                if (question != null) {
                    finish(question);
                    question.asking.refused(m.reason(), m.text());
                }
            }
        }
    }

    /**
     * @return null: the question is answered, withdrawn, or was asked anew elsewhere
     */
    private @Nullable EdgeQuestion awaited(
            NodeStart from, long changes, boolean isStandIn, long number) {
        EdgeQuestion question = questions.get(number);
        boolean isAwaited =
                question != null
                        && question.state == State.ANSWER
                        && new Leader(from, changes, isStandIn).equals(question.asked);
        return isAwaited ? question : null;
    }

    // ---------------------------------------------------------------- connections that are here

    private void goOnHere(EdgeQuestion question, long grantedAt) {
        EdgeStay stay = new EdgeStay(this, question, grantedAt);
        registrations.add(stay);
        question.asking.here(stay);
    }

    void claimed(EdgeStay stay) {
        stay.isClaimed = true;
        registrations.claimed(stay);
        if (stay.isDurable) {
            registrations.remove(stay); // From here on the session tells, not the connection.
        }
    }

    void ended(EdgeStay stay) {
        if (!registrations.remove(stay)) {
            return;
        }
        EdgeStay.Ending ending = stay.ending;
        if (ending != null) {
            answerEnd(stay, ending);
        }
        stay.isOver = true;
        Due due = stay.due;
        if (due != null) {
            wills.begin(due);
        }
        if (due == null || due.isAskedFor()) {
            registrations.ended(stay);
        }
    }

    /** Has the Will of a connection published by the leader, if that is another node. */
    boolean pass(EdgeStay stay, Will will, WillKeeper.Passed then) {
        if (stay.isDurable || stay.isOver || registrations.isLedHere(stay.clientId.slot())) {
            return false;
        }
        stay.due = new Due(stay.clientId, stay.number, will, then, stay);
        return true;
    }

    /** Looks at what is to be done in time. */
    void onTick(long passedMs) {
        wills.onTick(passedMs);
    }

    private void onEnd(NodeStart from, boolean isStandIn, End end) {
        EdgeStay stay = registrations.get(end.number());
        EdgeStay.Ending ending = stay == null ? null : stay.ending;
        if (stay == null || ending != null && ending.isAnswered) {
            outbox.send(from, isStandIn, new Ended(end.clientId(), end.number()));
        } else if (ending == null) {
            EdgeStay.Ending begun = new EdgeStay.Ending(stay, from, isStandIn);
            registrations.begin(stay, begun);
            turns.arm(begun, turns.nowMs() + times.peerTimeoutMs());
            stay.asking.endTakenOver();
        } else {
            ending.askedBy(from, isStandIn);
        }
    }

    /** Answers a leader: the connection has ended and its publishes are answered, or took long. */
    void answerEnd(EdgeStay stay, EdgeStay.Ending ending) {
        if (!ending.isAnswered) {
            ending.isAnswered = true;
            turns.cancel(ending);
            if (stay.due != null) {
                wills.begin(stay.due); // Before the newer connection is granted.
            }
            outbox.send(ending.by, ending.byStandIn, new Ended(stay.clientId, stay.number));
        }
    }

    // ---------------------------------------------------------------- leaders and nodes

    /**
     * Takes up new leaders and stand-ins: tells them the registered connections, and asks them.
     *
     * @param slots that may have others than before
     */
    void onLeadersChanged(BitSet slots) {
        BitSet news = registrations.onLeadersChanged(slots);
        if (!news.isEmpty()) {
            askAgain(question -> news.get(question.slot) && isAskedInVain(question));
            endDurable(news);
            wills.lookAtAll();
        }
    }

    /** Whether it waits for somebody to ask, or another node than the one that is asked grants. */
    private boolean isAskedInVain(EdgeQuestion question) {
        return switch (question.state) {
            case LEADER -> true;
            case ANSWER, PAUSE -> !Objects.equals(question.asked, granter(question));
            case OPENING, DONE -> false;
        };
    }

    /** Ends durable connections that claim at the registrar of this node, and it leads no more. */
    private void endDurable(BitSet slots) {
        registrations
                .removeAll(each ->
                        each.isDurable
                                && slots.get(each.clientId.slot())
                                && !registrations.isLedHere(each.clientId.slot()))
                .forEach(each -> each.asking.endElsewhere());
    }

    /**
     * Notes that a node is heard, for the first time or again. Once a leader was told the
     * connections, no grant of its stand-in is taken any more: the leader would not know of it.
     */
    void onHeard(NodeStart node) {
        BitSet told = registrations.tell(node);
        askAgain(question ->
                question.state == State.LEADER && mayBeAskedAt(node, question)
                        || told.get(question.slot) && isAskedInVain(question));
        wills.lookAtAll();
    }

    private boolean mayBeAskedAt(NodeStart node, EdgeQuestion question) {
        Leader leader = leaders.leader(question.slot);
        return question.isAskedAt(node) || leader != null && leader.node().equals(node);
    }

    /** Notes that a start of a node has ended. */
    void onEnded(NodeStart node) {
        askAgain(question -> question.state == State.ANSWER && question.isAskedAt(node));
        wills.lookAtAll();
    }

    /** Gives a question a number that no answer under way has. */
    private void renumber(EdgeQuestion question) {
        if (question.state == State.ANSWER) {
            questions.remove(question.number);
            question.number = nextNumber();
            questions.put(question.number, question);
        }
    }

    private void askAgain(Predicate<EdgeQuestion> which) {
        List<EdgeQuestion> again = new ArrayList<>();
        for (EdgeQuestion each : questions.values()) {
            if (which.test(each)) {
                again.add(each);
            }
        }
        for (EdgeQuestion each : again) {
            if (each.state != State.DONE) {
                endAtLeader(each);
                renumber(each);
                place(each);
            }
        }
    }
}
