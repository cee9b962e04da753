package io.godwit.core.simulation;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What members of shared groups get, and what a group as a whole must have got. */
final class GroupChecker {
    /** By a message's number, the sessions that groups have delivered it to. */
    private final Map<Integer, Set<SessionView>> sharedTo = new HashMap<>();

    /**
     * By a message's number, the sessions that groups have delivered it to at QoS 2, or that was
     * published at QoS 0; one entry for each copy.
     */
    private final Map<Integer, List<SessionView>> sharedOnce = new HashMap<>();

    /** By node, how many messages of groups nobody has got that a member of QoS 0 may have lost. */
    private final Map<SimulatedNode, Long> droppedAtQos0 = new LinkedHashMap<>();

    /** May have been dropped at QoS 0, or discarded by a queue. */
    private final Map<SimulatedNode, Long> discardedOrDropped = new LinkedHashMap<>();

    /** A member has got a message of its group. */
    void received(SessionView view, Published of) {
        view.node.count(Happening.SHARED_DELIVERED);
        Set<SessionView> to = sharedTo.computeIfAbsent(of.number, key -> new HashSet<>());
        if (to.add(view) && to.size() == 2) {
            view.node.count(Happening.SHARED_REDISTRIBUTED);
        }
    }

    /**
     * QoS 2, and QoS 0, comes once of each group, whoever gets it: what a member had in flight ends
     * with its session [MQTT-4.8.2-5]. But what a session had that died with the broker nobody
     * remembers.
     */
    void checkOnce(SessionView view, Published of, List<SessionView> views) {
        List<SessionView> to = sharedOnce.computeIfAbsent(of.number, key -> new ArrayList<>());
        to.add(view);
        Set<String> filters = new HashSet<>();
        int copies = 0;
        for (SessionView each : new HashSet<>(to)) {
            boolean forItself = false;
            for (Subscribed s : each.subscriptions) {
                if (s.isFor(of.topic) && s.shared) {
                    filters.add(s.filter);
                }
                forItself |= s.isFor(of.topic) && !s.shared;
            }
            boolean diedWithBroker = each.ended && !each.durable && of.sends > 1;
            copies += forItself || diedWithBroker ? 0 : Collections.frequency(to, each);
        }
        if (copies > filters.size() && wentToAnotherNode(of, to, filters, views)) {
            view.node.count(Happening.SHARED_TWICE_AFTER_RESTART);
            int more = filters.size() * (of.sentStart - of.firstStart);
            copies -= Math.min(copies - filters.size(), more);
        }
        check(
                copies <= filters.size(),
                "%s was delivered %s times by the groups %s, to %s",
                of,
                copies,
                filters,
                to);
    }

    /**
     * Whether the publisher's node has started anew between two PUBLISHes of it, and parts of the
     * groups at two nodes have had it: the later start does not know to which node the earlier one
     * has given it.
     */
    private static boolean wentToAnotherNode(
            Published of, List<SessionView> to, Set<String> filters, List<SessionView> views) {
        if (of.qos < 2 || of.sentStart == of.firstStart) {
            return false;
        }
        Set<SimulatedNode> had = new HashSet<>();
        to.forEach(each -> had.add(each.node));
        for (SessionView each : views) {
            if (each.node.watch().hasAppendedToGroup(filters, of.number)) {
                had.add(each.node);
            }
        }
        return had.size() > 1;
    }

    /**
     * At least one member has it when one was there all the time; but what has left for a member at
     * QoS 2, or stands in its own queue, ends with its session [MQTT-4.8.2-5], and what has gone to
     * one at QoS 0 with its connection.
     */
    void atEnd(Published of, List<SessionView> views, Missing missing) {
        Set<String> owed = new HashSet<>();
        Set<String> excused = new HashSet<>();
        Map<String, SimulatedNode> mayBeDropped = new HashMap<>();
        for (SessionView view : views) {
            for (Subscribed s : view.subscriptions) {
                if (s.shared && s.isFor(of.topic)) {
                    // The last member that leaves takes what waits in the group with it.
                    boolean stays = s.promisesUntil(false) == Long.MAX_VALUE;
                    if (!view.ended && view.durable && stays && Checker.isSure(s, of, false)) {
                        owed.add(s.filter);
                    }
                    boolean mayHaveGotAtQos0 = s.qos == 0 && s.overAt > of.sentAt;
                    if (mayHaveGotAtQos0) {
                        mayBeDropped.put(s.filter, view.node);
                    }
                    if (mayHaveGotAtQos0
                                    && view.node
                                            .clientOf(view)
                                            .hasLostConnectionSince(of.sentMicros)
                            || view.hasReceived(of.number)
                            || mayHaveDiedThere(view, of)
                            || view.ended
                                    && view.node.watch().wasHandedOver(view.queueId, of.number)
                            || view.ended
                                    && view.node
                                            .watch()
                                            .mayHaveLeftFor(view.generation, of.number)) {
                        excused.add(s.filter);
                    }
                }
            }
        }
        owed.removeAll(excused);
        // It may have gone to a member at QoS 0 that did not read: that was counted.
        owed.removeIf(filter -> {
            SimulatedNode node = mayBeDropped.get(filter);
            if (node != null) {
                (Missing.mayBe(node, of) ? discardedOrDropped : droppedAtQos0)
                        .merge(node, 1L, Long::sum);
            }
            return node != null;
        });
        for (String filter : owed) {
            if (of.qos == 2 && mayHaveLeftForTransient(filter, of, views)) {
                missing.addCutOff(of, filter);
            } else {
                missing.add(of.node, of, "the group " + filter);
            }
        }
    }

    /** A message of QoS 2 that may have reached a node with transient members goes to no other. */
    private static boolean mayHaveLeftForTransient(
            String filter, Published of, List<SessionView> views) {
        return views.stream()
                .filter(view -> !view.durable && !view.node.equals(of.node))
                .flatMap(view -> view.subscriptions.stream())
                .anyMatch(s -> s.filter.equals(filter) && s.overAt > of.sentAt);
    }

    /**
     * What another node has given its transient members is gone when it dies: it keeps messages of
     * a group for members of its own alone.
     */
    private static boolean mayHaveDiedThere(SessionView view, Published of) {
        return !view.durable
                && view.node.isOneOfCluster()
                && view.node.startsSince(of.sentMicros) > 0;
    }

    /** Not more may have been lost at QoS 0 than were counted. */
    void checkDropped() {
        droppedAtQos0.forEach((node, count) ->
                check(
                        count <= node.counts().qos0Dropped(),
                        "LOST: %s messages for members of groups with QoS 0, but only %s of QoS 0"
                                + " were dropped",
                        count,
                        node.counts().qos0Dropped()));
        discardedOrDropped.forEach((node, count) -> {
            BrokerCounts counts = node.counts();
            long counted =
                    counts.qos0Dropped() + counts.full() + counts.expired() + counts.tooLarge();
            long all = count + droppedAtQos0.getOrDefault(node, 0L);
            check(
                    all <= counted,
                    "LOST: %s messages for members of groups with QoS 0, but only %s were dropped"
                            + " or discarded",
                    all,
                    counted);
        });
    }

    private static void check(boolean holds, String message, Object... of) {
        if (!holds) {
            throw new IllegalStateException(String.format(message, of));
        }
    }
}
