package io.godwit.chaos;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Keeps what the clients sent, saw acknowledged and received, and says where the broker broke a
 * promise: at once where that shows at once (doubles, disorder, a lost session), and in {@link
 * #finish} what never came.
 */
final class Checker {
    private static final int KEPT_PER_KIND = 60;

    /** With what led to them. */
    private static final int SHOWN_PER_KIND = 5;

    private static final int HISTORY_SHOWN = 25;

    final History history;
    private final Map<Mark.StreamKey, Stream> streams = new HashMap<>();
    private final Map<String, Target> targets = new LinkedHashMap<>();
    private final List<Violation> violations = new ArrayList<>();
    private final Map<Violation.Kind, Integer> counts = new EnumMap<>(Violation.Kind.class);
    private final int nodes;
    private int lastKillTick;
    private boolean isOneUnheard;

    /** A node that is not heard may be taken over from while it still has its sessions. */
    private boolean isTakeOverPossible;

    private long heardSinceNs = System.nanoTime();

    /** Who may not know what was subscribed elsewhere. */
    final Apart apart = new Apart();

    final Leaders leaders = new Leaders();

    Checker(History history) {
        this(history, 1);
    }

    /**
     * @param nodes of which one may die while the others go on
     */
    Checker(History history, int nodes) {
        this.history = history;
        this.nodes = nodes;
    }

    /**
     * Whether a publish that was sent then may come again without its publisher's doing: it goes
     * once more to a node that died before it had answered for it, and was perhaps kept there
     * (docs/decisions/0022), or to the one that has taken its sessions over (0031).
     */
    boolean mayComeAgain(int sentTick) {
        return nodes > 1 && lastKillTick() > sentTick;
    }

    /** A durable session, or all members of a shared group. */
    Target target(String name, Target.Order order) {
        return targets.computeIfAbsent(name, n -> new Target(n, order, this));
    }

    Collection<Target> targets() {
        return targets.values();
    }

    Stream stream(Mark mark) {
        return streams.computeIfAbsent(mark.stream(), Stream::new);
    }

    @Nullable Stream streamSent(Mark mark) {
        Stream stream = streams.get(mark.stream());
        return stream != null && stream.wasSent(mark.seq()) ? stream : null;
    }

    /** PUBLISH leaves the publisher, for the first time or again. */
    void sent(Mark mark) {
        Stream stream = stream(mark);
        if (stream.sent(mark.seq(), history.nextTick())) {
            targets.values().forEach(target -> target.sent(stream, mark.seq()));
        }
    }

    /** The publisher saw PUBACK or PUBREC. */
    void acked(Mark mark) {
        stream(mark).acked(mark.seq(), history.nextTick());
    }

    /** The process died without a word: what was not committed is gone. */
    void killed() {
        lastKillTick = history.nextTick();
    }

    /** Sessions move away from a node that is stopped in order: as if it had died, for these. */
    void moving() {
        isTakeOverPossible = true;
    }

    /** They have moved: the node has ended. */
    void moved() {
        isTakeOverPossible = false;
        killed();
    }

    /**
     * A node does not run, or is cut off.
     *
     * @param mayBeTakenOver whether for so long that another one may serve its sessions: for these
     *     that is as if it had died
     */
    void unheard(boolean mayBeTakenOver) {
        isOneUnheard = true;
        isTakeOverPossible = mayBeTakenOver;
    }

    /** The disk of a node is lost, the others have noticed, and nodes do not take over. */
    void diskLost() {
        targets.values().forEach(Target::diskLost);
    }

    /** It was looked where sessions are now. */
    void leadersFound() {
        targets.values().forEach(Target::leadersFound);
    }

    /** All nodes hear each other again. */
    void heard() {
        isOneUnheard = false;
        if (isTakeOverPossible) {
            isTakeOverPossible = false;
            killed();
        }
        heardSinceNs = System.nanoTime();
    }

    /** Since when all nodes that live have heard each other; at most now. */
    long heardSinceNs(long nowNs) {
        return isOneUnheard ? nowNs : heardSinceNs;
    }

    /**
     * Returns when a node died last, or was perhaps taken over from; {@link Integer#MAX_VALUE}
     * while that may be going on.
     */
    int lastKillTick() {
        return isTakeOverPossible ? Integer.MAX_VALUE : lastKillTick;
    }

    /** Messages, once per target, that were acknowledged and are not received. */
    int missing() {
        int missing = 0;
        for (Target target : targets.values()) {
            for (Reception each : target.receptions()) {
                missing += each.missing().cardinality();
            }
        }
        return missing;
    }

    /**
     * Messages, once per target, that nodes which were cut off did not owe, or that did not come.
     */
    int excused(boolean missedOnly) {
        int excused = 0;
        for (Target target : targets.values()) {
            for (Reception each : target.receptions()) {
                excused += (missedOnly ? each.missed() : each.excused).cardinality();
            }
        }
        return excused;
    }

    /** Messages, once per group, that were lost with a disk. */
    int missedWithDisks() {
        int missed = 0;
        for (Target target : targets.values()) {
            for (Reception each : target.receptions()) {
                missed += each.missedWithDisk().cardinality();
            }
        }
        return missed;
    }

    /** Everyone has had time to receive everything. */
    void finish() {
        for (Target target : targets.values()) {
            target.lookAtPassedOn(true);
            for (Reception each : target.receptions()) {
                BitSet missing = each.missing();
                if (!missing.isEmpty()) {
                    lost(target, each, missing);
                }
            }
        }
    }

    private void lost(Target target, Reception of, BitSet missing) {
        int first = missing.nextSetBit(0);
        Mark.StreamKey key = of.stream.key;
        Mark mark = new Mark(key.publisher(), key.topic(), key.qos(), first);
        report(
                Violation.Kind.LOST,
                target.name(),
                mark,
                missing.cardinality()
                        + " acknowledged messages of p"
                        + key.publisher()
                        + " "
                        + key.topic()
                        + " q"
                        + key.qos()
                        + " never came: "
                        + missing
                        + "; the first was sent in round "
                        + history.roundOf(of.stream.sentTick(first))
                        + ", acknowledged in round "
                        + history.roundOf(of.stream.ackTick(first))
                        + "; the highest received is "
                        + of.highest);
    }

    /**
     * @param subject a message or topic whose steps are shown, however long ago
     */
    void report(Violation.Kind kind, String client, @Nullable Object subject, String text) {
        counts.merge(kind, 1, Integer::sum);
        long before = violations.stream().filter(each -> each.kind() == kind).count();
        if (before < KEPT_PER_KIND) {
            violations.add(
                    new Violation(
                            kind,
                            history.seed(),
                            history.round(),
                            client,
                            text,
                            before < SHOWN_PER_KIND ? story(client, subject) : List.of()));
        }
    }

    /** What the one has seen, and what whoever has published the message did with it. */
    private List<String> story(String client, @Nullable Object subject) {
        List<String> lines = new ArrayList<>(history.of(client, subject, HISTORY_SHOWN));
        if (subject instanceof Mark mark) {
            String publisher = Client.name(mark.publisher());
            history.of(publisher, mark, 0).forEach(line -> lines.add(publisher + " in " + line));
        }
        return lines;
    }

    /** The first of each kind. */
    List<Violation> violations() {
        return List.copyOf(violations);
    }

    /** Counts all violations of each kind, also those that are not kept. */
    Map<Violation.Kind, Integer> counts() {
        return Map.copyOf(counts);
    }

    int violationsAll() {
        return counts.values().stream().mapToInt(each -> each).sum();
    }
}
