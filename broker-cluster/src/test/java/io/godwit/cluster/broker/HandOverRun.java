package io.godwit.cluster.broker;

import io.godwit.cluster.replication.CopyRecord;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.session.NodeGroups;
import io.godwit.core.store.CopySets;
import io.godwit.core.takeover.Registrar;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A group hands one message of QoS 2 over to a durable member, while nodes are stopped after given
 * steps of the run. Until the first stop every run with the same way of the message is the same.
 *
 * <p>Node 1 leads the group's queue and the member's session, the member is connected to an edge of
 * its own, and each of these three follows node 1: the session goes to one node, the group's queue
 * to another.
 */
final class HandOverRun {
    /** Names the ways in which a message comes to the group. */
    enum Way {
        /** It waits in the group's queue, and its publisher is done with it. */
        WAITING,
        /** It comes by another node while the member is there. */
        STRAIGHT,
        /** It waits as before, and is passed on to the node of another member. */
        PASSED_ON
    }

    /** Names the node that is stopped, by its part in the hand-over. */
    enum Victim {
        /** Node 1. */
        LEADER,
        /** The node that takes over the group's queue. */
        GROUP,
        /** The node that takes over the member's session. */
        SESSION,
        /** The node to which the member is connected. */
        EDGE
    }

    /** Tells whether a stopped node starts again, and when. */
    enum Fate {
        RETURNS_AT_ONCE,
        RETURNS_WHEN_OTHERS_HAVE_TAKEN_OVER,
        IS_LOST
    }

    /** Stops a node after so many steps of the run. */
    record Stop(long step, Victim victim, Fate fate) {}

    private static final int NODES = 4;
    private static final int COPIES = 2;
    private static final long AT_ONCE_MICROS = 300_000;
    private static final long LATER_MICROS = 14_000_000;
    private static final TopicFilter GROUP = TopicFilter.of(FailoverMember.FILTER);

    final HandOverSteps steps = new HandOverSteps();
    private final FailoverSimulation run;
    private final List<Stop> stops;
    private int stopped;
    private int group;
    private int session;
    private int edge;

    private HandOverRun(long seed, List<Stop> stops) {
        run = new FailoverSimulation(seed, NODES, COPIES, steps);
        this.stops = stops;
    }

    /** Runs it to the end, and judges what the members have got. */
    static HandOverRun of(long seed, Way way, List<Stop> stops) {
        HandOverRun made = new HandOverRun(seed, stops);
        try {
            made.run(way);
            return made;
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(
                    "seed %s, %s, %s: %s%n%s"
                            .formatted(seed, way, stops, e.getMessage(), made.run.story()),
                    e);
        }
    }

    private void run(Way way) {
        run.beginNodes();
        String id = chooseNodes();
        HandOverClient member = new HandOverClient(run, id, true, edge, steps);
        HandOverClient near = member(HandOverSteps.LEADER, null);
        HandOverClient far = member(way == Way.PASSED_ON ? session : group, steps);
        List<HandOverClient> others = List.of(near, far);
        List<HandOverClient> members = List.of(member, near, far);
        members.forEach(HandOverClient::begin);
        members.forEach(HandOverClient::come);
        run.runUntil(() -> members.stream().allMatch(HandOverClient::isReady), "subscribing");
        others.forEach(HandOverClient::go);
        int at = way == Way.STRAIGHT ? session : HandOverSteps.LEADER;
        HandOverClient publisher = new HandOverClient(run, "p", false, at, null);
        publisher.begin();
        if (way != Way.STRAIGHT) {
            member.go();
            run.pass(1_000_000);
            publisher.publish();
            run.runUntil(() -> publisher.isDone, "publishing");
            steps.begin(run::steps);
            (way == Way.WAITING ? member : far).come();
        } else {
            run.pass(1_000_000);
            steps.begin(run::steps);
            publisher.publish();
        }
        stopNodes(members);
        run.runUntil(
                () ->
                        received(members) > 0
                                && publisher.isDone
                                && members.stream().noneMatch(HandOverClient::isHolding),
                "the hand-over");
        run.pass(2_000_000);
        run.heal();
        members.forEach(HandOverClient::come);
        nothingMoreComes(members);
        run.copiesBecomeEqual();
    }

    /** Chooses a member whose session and whose group have different followers. */
    private String chooseNodes() {
        group = follower(CopySets.GROUPS);
        String id =
                find(
                        "m",
                        each ->
                                leads(HandOverSteps.LEADER, each)
                                        && Registrar.shardOf(each, FailoverNode.SHARDS)
                                                != NodeGroups.shardOf(GROUP, FailoverNode.SHARDS)
                                        && follower(CopySets.of(each)) != group);
        session = follower(CopySets.of(ClientId.of(id)));
        edge =
                Stream.of(2, 3, 4)
                        .filter(each -> each != group && each != session)
                        .findFirst()
                        .get();
        return id;
    }

    private int follower(int copySet) {
        return run.node(HandOverSteps.LEADER).running().part().copies().records().stream()
                .filter(each -> each.copySet() == copySet)
                .map(CopyRecord::whole)
                .findFirst()
                .orElseThrow()
                .getFirst();
    }

    private boolean leads(int server, ClientId clientId) {
        return run.node(server).running().part().slots().leaders().acts(clientId.slot());
    }

    private static String find(String prefix, Predicate<ClientId> which) {
        return Stream.iterate(0, each -> each + 1)
                .map(each -> prefix + each)
                .filter(each -> which.test(ClientId.of(each)))
                .findFirst()
                .orElseThrow();
    }

    private HandOverClient member(int leader, @Nullable HandOverSteps noting) {
        return new HandOverClient(run, find("n", each -> leads(leader, each)), true, 0, noting);
    }

    private void stopNodes(List<HandOverClient> members) {
        for (Stop each : stops) {
            while (run.steps() < each.step) {
                run.step();
            }
            members.forEach(HandOverClient::come);
            stop(node(each.victim), each.fate);
        }
    }

    private FailoverNode node(Victim victim) {
        return run.node(
                switch (victim) {
                    case LEADER -> HandOverSteps.LEADER;
                    case GROUP -> group;
                    case SESSION -> session;
                    case EDGE -> edge;
                });
    }

    private void stop(FailoverNode node, Fate fate) {
        stopped++;
        node.isLost = fate == Fate.IS_LOST;
        run.crash(node, true);
        if (fate != Fate.IS_LOST) {
            long micros = fate == Fate.RETURNS_AT_ONCE ? AT_ONCE_MICROS : LATER_MICROS;
            run.scheduler.background(
                    micros,
                    () -> {
                        if (!node.isRunning()) {
                            run.begin(node);
                        }
                    });
        }
    }

    private static int received(List<HandOverClient> members) {
        return members.stream().mapToInt(HandOverClient::received).sum();
    }

    private static int packets(List<HandOverClient> members) {
        return members.stream().mapToInt(HandOverClient::packets).sum();
    }

    /** Has all members come again: none of them gets anything, since nothing is left anywhere. */
    private void nothingMoreComes(List<HandOverClient> members) {
        run.pass(6_000_000);
        members.forEach(HandOverClient::go);
        int before = packets(members);
        members.forEach(HandOverClient::come);
        run.runUntil(() -> members.stream().allMatch(HandOverClient::isReady), "coming again");
        run.pass(8_000_000);
        if (packets(members) != before) {
            throw new IllegalStateException("something was left, though its handshake was over");
        }
        if (received(members) != 1) {
            throw new IllegalStateException("it came " + received(members) + " times");
        }
    }

    /** Counts the nodes that were stopped. */
    int stopped() {
        return stopped;
    }
}
