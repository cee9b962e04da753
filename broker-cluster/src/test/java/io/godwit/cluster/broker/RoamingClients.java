package io.godwit.cluster.broker;

import io.godwit.core.settings.Rules;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Subscribers that connect to one node after the other while others publish to them, from one seed:
 * links break, nodes die, also in the middle of a CONNECT, or leave in order and are back. At the
 * end each has got everything that was acknowledged, of QoS 2 once, and in order.
 */
final class RoamingClients {
    static final int NODES = 3;
    private static final int STEPS = 250;

    /** Steps in which nodes may not have told each other what has changed. */
    private static final int SOON = 8;

    final SplittableRandom random;
    final LoopNodes nodes;
    final boolean breaks;
    private final @Nullable NodeDrains drains;
    final @Nullable SplittableRandom jobsChosen;

    /** Not null: all subscribers have the same topic, and some subscribe and unsubscribe. */
    private final @Nullable SplittableRandom crowd;

    /** Not null: publishes are much slower on some links than all else. */
    final @Nullable SplittableRandom slowLinks;

    final SharedJobs jobs = new SharedJobs();
    final List<RoamingSubscriber> subscribers = new ArrayList<>();
    final List<FixedPublisher> publishers = new ArrayList<>();
    final List<RoamingPublisher> rovers = new ArrayList<>();

    /** Messages that these have sent more than once. */
    final Set<Integer> sentAgain = new HashSet<>();

    /** The node that has died, and how many steps it takes until it is back. */
    private LoopNodes.@Nullable One dead;

    private int downFor;
    private int step;

    /** The step in which a node ended or was back last. */
    private int ended = -SOON;

    private final SplittableRandom crashLength;

    private final List<String> story = new ArrayList<>();
    final Map<String, Integer> counts = new TreeMap<>();
    int messages;

    /** How many had been sent when a node last died, or ended: those may have come to it twice. */
    int sentAtLastEnd;

    int clients;

    /**
     * @param breaks links break, and nodes die
     * @param drains nodes leave
     * @param groups all subscribers are members of a shared group, which half of the messages are
     *     for
     * @param crowded several subscribers have one topic, so that a message goes to many nodes
     *     whoever moves
     * @param roving some publishers connect to one node after the other, too
     * @param slow publishes are much slower than all else on some links for a while
     * @param rules that hold
     */
    private RoamingClients(
            long seed,
            boolean breaks,
            boolean drains,
            boolean groups,
            boolean crowded,
            boolean roving,
            boolean slow,
            Rules rules) {
        slowLinks = slow ? new SplittableRandom(seed * 0xBF58_476D_1CE4_E5B9L) : null;
        crowd = crowded ? new SplittableRandom(seed * 0xA24B_AED4_963E_E407L) : null;
        jobsChosen = groups ? new SplittableRandom(seed * 0x9E37_79B9_7F4A_7C15L) : null;
        this.drains = drains ? new NodeDrains(this, seed) : null;
        random = new SplittableRandom(seed);
        crashLength = new SplittableRandom(seed * 0x94D0_49BB_1331_11EBL);
        this.breaks = breaks;
        nodes = new LoopNodes(NODES, random.split(), rules);
        for (int i = 0; i < (crowded ? 5 : 2); i++) {
            subscribers.add(new RoamingSubscriber(this, i, crowded ? "t" : "t" + i));
        }
        for (int server = 1; server <= NODES; server++) {
            publishers.add(new FixedPublisher(this, server));
        }
        SplittableRandom ways = new SplittableRandom(seed * 0xD6E8_FEB8_6659_FD93L);
        for (int i = 0; i < (roving ? 2 : 0); i++) {
            rovers.add(new RoamingPublisher(this, ways.split()));
        }
    }

    static Map<String, Integer> run(long seed, boolean breaks, boolean drains) {
        return run(seed, breaks, drains, false, false, Rules.ALL);
    }

    static Map<String, Integer> run(
            long seed,
            boolean breaks,
            boolean drains,
            boolean groups,
            boolean crowded,
            Rules rules) {
        return run(seed, breaks, drains, groups, crowded, false, false, rules);
    }

    static Map<String, Integer> run(
            long seed,
            boolean breaks,
            boolean drains,
            boolean groups,
            boolean crowded,
            boolean roving,
            boolean slow,
            Rules rules) {
        RoamingClients run =
                new RoamingClients(seed, breaks, drains, groups, crowded, roving, slow, rules);
        try {
            run.run();
            return run.counts;
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(
                    "seed " + seed + ": " + e.getMessage() + "\n" + String.join("\n", run.story),
                    e);
        }
    }

    void note(String format, Object... of) {
        story.add(String.format(format, of));
    }

    void count(String what) {
        counts.merge(what, 1, Integer::sum);
    }

    private void run() {
        for (RoamingSubscriber each : subscribers) {
            each.connect(1 + random.nextInt(NODES));
            nodes.settle();
            each.subscribe();
            nodes.settle();
            if (jobsChosen != null) {
                each.client().subscribe(2, 2, SharedJobs.FILTER);
                nodes.settle();
            }
            each.see();
        }
        for (; step < STEPS; step++) {
            act();
            if (dead != null) {
                count("steps with a dead node");
                if (downFor-- <= 0) {
                    backAgain();
                }
            }
            rovers.forEach(RoamingPublisher::act);
            if (crowd != null && crowd.nextInt(4) == 0) {
                subscribers.get(crowd.nextInt(2)).churn();
            }
            some();
            if (drains != null) {
                drains.step();
            }
        }
        links().forEach(each -> each.isSlow = false);
        backAgain();
        if (drains != null) {
            drains.atEnd();
        }
        nodes.pass(5_000);
        rovers.forEach(RoamingPublisher::atEnd);
        publishers.forEach(FixedPublisher::see);
        subscribers.forEach(RoamingSubscriber::atEnd);
        subscribers.forEach(RoamingSubscriber::see);
        for (LoopNodes.One each : nodes.nodes) {
            if (!each.buffers().unreleased().isEmpty()) {
                throw new IllegalStateException(
                        "node " + each.server + " has not released buffers");
            }
            counts.merge("buffers", (int) each.buffers().made(), Integer::sum);
        }
        if (!jobs.missing().isEmpty()) {
            throw new IllegalStateException("jobs nobody has got: " + jobs.missing());
        }
    }

    private void act() {
        switch (random.nextInt(12)) {
            case 0, 1 ->
                    subscribers
                            .get(random.nextInt(subscribers.size()))
                            .connect(1 + random.nextInt(NODES));
            case 2 -> subscribers.get(random.nextInt(subscribers.size())).cut();
            case 3, 4, 5, 6, 7 ->
                    publishers.get(random.nextInt(NODES)).publish(random.nextInt(1, 4));
            case 8 -> nodes.pass(100L * random.nextInt(1, 6));
            case 9 -> breakLink();
            case 10 -> crash();
            default -> subscribers.forEach(each -> each.see());
        }
    }

    /** A link breaks, and there is another one at once. */
    private void breakLink() {
        LoopNodes.One a = nodes.node(1 + random.nextInt(NODES));
        LoopNodes.One b = nodes.node(1 + random.nextInt(NODES));
        if (breaks && a != b) {
            note("new link %s %s", a.server, b.server);
            count("links broken");
            nodes.cut(a, b);
            nodes.link(a, b);
            nodes.link(b, a);
        }
    }

    /**
     * A node dies, and is back at once or some steps later: what it has not kept is lost, and
     * nobody takes its sessions for unknown meanwhile. One at a time.
     */
    private void crash() {
        LoopNodes.One one = nodes.node(1 + random.nextInt(NODES));
        if (breaks && random.nextInt(2) == 0 && dead == null && one.isUp) {
            note("crash %s", one.server);
            count("crashes");
            ends();
            sentAtLastEnd = messages;
            one.crash();
            subscribers.forEach(each -> each.lost(one.server));
            publishers.get(one.server - 1).lost();
            rovers.forEach(each -> each.lost(one.server));
            if (drains != null) {
                drains.died(one.server);
            }
            dead = one;
            downFor = crashLength.nextInt(15);
            if (downFor == 0) {
                backAgain();
            }
        }
    }

    /** A node ends. The others know by then what they have to say of one that ended just before. */
    void ends() {
        if (step - ended < SOON) {
            nodes.settle();
        }
        ended = step;
    }

    private void backAgain() {
        LoopNodes.One one = dead;
        if (one != null) {
            note("%s is back", one.server);
            dead = null;
            ended = step;
            one.restart();
        }
    }

    /** Whether clients may connect there. */
    boolean isOpen(int server) {
        return nodes.node(server).isUp && (drains == null || drains.leaving != server);
    }

    private List<LoopLink> links() {
        return nodes.nodes.stream().flatMap(each -> each.links.values().stream()).toList();
    }

    private void slowDown(SplittableRandom when) {
        for (LoopLink each : links()) {
            each.isSlow ^= when.nextInt(each.isSlow ? 4 : 16) == 0;
        }
    }

    /** Some of what can be done is done. */
    private void some() {
        if (slowLinks != null) {
            slowDown(slowLinks);
        }
        for (int i = random.nextInt(6); i > 0; i--) {
            LoopNodes.One one = nodes.node(1 + random.nextInt(NODES));
            if (random.nextBoolean()) {
                one.deliver(1 + random.nextInt(3));
            } else {
                one.settle();
            }
        }
        if (random.nextInt(4) == 0) {
            nodes.settle();
        }
        publishers.forEach(FixedPublisher::see);
        rovers.forEach(RoamingPublisher::see);
        if (random.nextBoolean()) {
            subscribers.forEach(RoamingSubscriber::see);
        }
    }
}
