package io.godwit.core.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** What is retained when all is quiet, as one reads it who subscribes then. */
final class RetainedCheck {
    private final SimulatedNode node;
    private final Checker checker;
    private final List<Published> published;

    RetainedCheck(SimulatedNode node, Checker checker) {
        this.node = node;
        this.checker = checker;
        this.published = checker.all();
    }

    /**
     * What was acknowledged last on a topic to which one client publishes is what is retained
     * there, or something newer.
     *
     * @param reader has subscribed to all of them just now
     * @param dropped messages of QoS 0 for which its connection, or another one, had no room
     */
    void check(SessionView reader, long dropped) {
        Map<String, Integer> least = new HashMap<>();
        Map<String, Integer> leastQos1 = new HashMap<>();
        for (Published of : published) {
            if (of.topic.startsWith("r/") && of.qos > 0 && of.ackedAt != Published.NEVER) {
                least.put(of.topic, of.number);
                if (of.qos == 1) {
                    leastQos1.put(of.topic, of.number);
                }
            }
        }
        for (int number : reader.received.keySet()) {
            Published of = published.get(number);
            // QoS 1 that is sent again is retained again, after what was sent in between.
            Integer last =
                    of.qos == 1 && of.sends > 1 ? leastQos1.get(of.topic) : least.get(of.topic);
            checker.check(
                    last == null || last <= number || mayComeLate(of, published.get(last)),
                    "%s is retained instead of %s",
                    of,
                    last == null ? null : published.get(last));
            least.remove(of.topic);
        }
        least.entrySet().removeIf(each -> mayBeDeleted(each.getKey(), each.getValue()));
        List<String> replaced = new ArrayList<>();
        least.forEach((topic, last) -> {
            if (isReplacedAtQos0(topic, last)) {
                replaced.add(topic);
            }
        });
        if (replaced.size() <= dropped) {
            least.keySet().removeAll(replaced);
        }
        checker.check(least.isEmpty(), "LOST: nothing is retained on %s", least.keySet());
        checkContended(reader, dropped - replaced.size());
    }

    /** Whether what was acknowledged last was deleted, or is what deletes it. */
    private boolean mayBeDeleted(String topic, int last) {
        for (Published of : published) {
            if (of.deletes() && of.topic.equals(topic) && of.sends > 0) {
                boolean mayComeAgain = of.qos == 1 && of.sends > 1;
                if (of.number >= last || mayComeAgain || mayComeLate(of, published.get(last))) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Whether one of QoS 0 was to replace it. */
    private boolean isReplacedAtQos0(String topic, int last) {
        return published.stream()
                .anyMatch(of ->
                        of.retain
                                && of.qos == 0
                                && of.number > last
                                && of.sends > 0
                                && of.topic.equals(topic));
    }

    /**
     * What was left of a session that has ended, or refused in an alarm, may come after this. In a
     * cluster QoS 0, too: it may have to wait for other nodes.
     */
    private static boolean mayComeLate(Published of, Published last) {
        boolean wasLeft = of.abandoned || of.qos == 0 && of.node.isOneOfCluster();
        return of.refused || wasLeft && of.generation != last.generation;
    }

    /**
     * On topics to which many publish: what was acknowledged before something else was sent that
     * was acknowledged, too, is not retained any more.
     *
     * @param dropped messages of QoS 0 that may be missing
     */
    private void checkContended(SessionView reader, long dropped) {
        Map<String, Published> retained = new HashMap<>();
        for (int number : reader.received.keySet()) {
            retained.put(published.get(number).topic, published.get(number));
        }
        Set<String> notRead = new TreeSet<>();
        for (Published of : published) {
            if (Topics.isContended(of.topic)
                    && !retained.containsKey(of.topic)
                    && isReplacedAtQos0(of.topic, -1)) {
                notRead.add(of.topic);
            }
        }
        for (Published later : published) {
            if (!Topics.isContended(later.topic)
                    || later.qos == 0
                    || later.ackedAt == Published.NEVER
                    || notRead.contains(later.topic) && notRead.size() <= dropped) {
                continue;
            }
            Published is = retained.get(later.topic);
            checker.check(is != null, "LOST: nothing is retained on %s", later.topic);
            // QoS 1 that is sent again is retained again.
            boolean mayComeAgain = is.refused || is.abandoned || is.qos == 1 && is.sends > 1;
            checker.check(
                    mayComeAgain || is.ackedAt > later.sentAt,
                    "%s is retained instead of %s",
                    is,
                    later);
        }
        for (String topic : retained.keySet()) {
            if (Topics.isContended(topic)) {
                node.count(Happening.RETAINED_CONTENDED);
            }
        }
    }
}
