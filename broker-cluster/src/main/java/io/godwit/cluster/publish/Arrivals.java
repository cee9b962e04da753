package io.godwit.cluster.publish;

import io.godwit.cluster.stream.Arrival;
import io.godwit.cluster.stream.InStream;
import io.godwit.cluster.stream.Parts;
import io.godwit.cluster.stream.StreamRecord;
import io.godwit.core.ack.Takers;
import io.godwit.core.id.IngressId;
import io.godwit.core.metrics.Metric;
import io.godwit.core.node.BrokerShard;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.shard.Mail;
import io.godwit.core.shard.Shard;
import io.godwit.core.shard.Sliced;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Holds publishes of QoS 2 of other nodes, from their arrival at one shard until the node that they
 * entered at says that they are over. One that comes again while this start lasts goes to durable
 * sessions alone, which recognise it, so that transient ones get it once, too. After a restart the
 * queues that it went to recognise it. That it is over goes to whoever has taken it in.
 *
 * <p>One that is sent again may come to another shard than at first: then the others are asked.
 */
final class Arrivals {
    /**
     * How a publish goes on here.
     *
     * @param first to everybody
     * @param again to sessions, and to those groups alone for which it has not come before
     */
    record Routes(Supplier<Sliced> first, Function<Parts, Sliced> again) {}

    /** As many as one client can have published without PUBREL. */
    private static final int MAX = 65_536;

    /** Bytes that one is accounted with. */
    private static final int ENTRY_BYTES = 200;

    /**
     * What came for one group alone, of a node that had no member who could get it. The same
     * publish may have come for others, too.
     *
     * @param next for another group
     */
    private record Passed(TopicFilter group, Arrival arrival, @Nullable Passed next) {}

    private final BrokerShard shard;

    /** Of all shards of the node, by their index. */
    private final List<Arrivals> all;

    /** In the order in which they came. */
    private final Map<IngressId, Arrival> known = new LinkedHashMap<>();

    /** The same of what other nodes have passed on. */
    private final Map<IngressId, Passed> passed = new LinkedHashMap<>(0);

    /** Taken in by an earlier start, or let in by it: who may remember it. */
    private final Map<IngressId, Takers> earlier = new LinkedHashMap<>();

    /**
     * @param all filled before the shards run
     */
    Arrivals(BrokerShard shard, List<Arrivals> all) {
        this.shard = shard;
        this.all = all;
    }

    /** At start, before the shards run: queues remember it from an earlier start. */
    void remembered(IngressId publish, Takers by) {
        earlier.put(publish, by);
    }

    /**
     * Queues that this node has adopted remember publishes: a shard that knows one tells them, too,
     * when it is over, and this one does of all others. On the shard that owns the topic index.
     */
    void adopted(Map<IngressId, Takers> by) {
        new Adopted(by, all.size() - 1).next();
    }

    /**
     * Brings the ingress ids that adopted queues remember from shard to shard: each keeps those of
     * publishes that it knows, and this one the rest.
     */
    private final class Adopted {
        private final Map<IngressId, Takers> left;
        private int at;

        Adopted(Map<IngressId, Takers> left, int at) {
            this.left = left;
            this.at = at;
        }

        void next() {
            all.get(at).execute(this::take);
        }

        private void take(Arrivals there) {
            left.entrySet().removeIf(each -> there.takenToo(each.getKey(), each.getValue()));
            if (at-- > 0) {
                next();
            } else {
                left.forEach(there::earlierToo);
            }
        }
    }

    private boolean takenToo(IngressId publish, Takers by) {
        Arrival first = known.get(publish);
        Passed some = passed.isEmpty() ? null : passed.get(publish);
        Arrival arrival = first == null && some != null ? some.arrival() : first;
        if (arrival != null) {
            arrival.takenBy(by);
        }
        return arrival != null;
    }

    private void earlierToo(IngressId publish, Takers by) {
        Takers before = earlier.putIfAbsent(publish, by);
        if (before != null) {
            before.addAll(by);
        }
    }

    /**
     * A publish has come.
     *
     * @param group that it was passed on for; null when it was not
     * @param again it may have come before
     * @param arrival knows {@link Arrival#parts whom} it is for
     * @param routes begin to route it
     * @return see {@link InStream.Handler#handle}
     */
    @Nullable Sliced arrived(
            IngressId publish,
            @Nullable TopicFilter group,
            boolean again,
            Arrival arrival,
            Routes routes) {
        Arrival before = known(publish, group);
        if (before != null && group != null && isBack(before, again, arrival)) {
            return beginAnew(publish, group, arrival, routes);
        }
        if (before != null) {
            Parts more = more(before, arrival);
            arrival.await();
            before.whenTaken(() -> taken(arrival, before.reason, !before.hasFailed()));
            if (again && !more.areNone() && all.size() > 1) {
                // That may have come to another shard: it had taken another way for some.
                Question elsewhere = new Question(publish, group, arrival, routes, more);
                before.whenRouted(elsewhere::ask);
                return InStream.LATER;
            }
            if (before.isRouted()) {
                return beginAgain(publish, group, more, arrival, routes);
            }
            // What is behind it goes behind it here.
            before.whenRouted(
                    () -> arrival.resume(beginAgain(publish, group, more, arrival, routes)));
            return InStream.LATER;
        }
        if (again && all.size() > 1) {
            new Question(publish, group, arrival, routes, null).ask();
            return InStream.LATER;
        }
        return begin(publish, group, arrival, routes);
    }

    private @Nullable Arrival known(IngressId publish, @Nullable TopicFilter group) {
        if (group == null) {
            return known.get(publish);
        }
        Passed some = passed.get(publish);
        while (some != null
                && (!some.group().equals(group) || some.arrival().isGivenBackBy(group))) {
            some = some.next();
        }
        return some == null ? null : some.arrival();
    }

    /**
     * Whether what was passed on from here has come round: nobody there could get it any more. The
     * first copy waits for that node, which waits for this one.
     */
    private static boolean isBack(Arrival first, boolean again, Arrival arrival) {
        boolean isOther = first.from().server() != arrival.from().server();
        return !first.isDone() && (!again || isOther);
    }

    /** Whom it has not come for before. */
    private static Parts more(Arrival before, Arrival arrival) {
        Parts more = arrival.parts.without(before.parts);
        before.parts = before.parts.and(more);
        return more;
    }

    private static void taken(Arrival again, ReasonCode reason, boolean taken) {
        again.reason = reason;
        again.targetDone(taken);
    }

    /** It is known here: whoever takes it in now hears with the others that it is over. */
    private Sliced beginAgain(
            IngressId publish,
            @Nullable TopicFilter group,
            Parts more,
            Arrival arrival,
            Routes routes) {
        arrival.isAgain = true;
        arrival.isKnownHere = !more.sessions();
        takersToFirst(publish, group, arrival);
        return routes.again().apply(more);
    }

    /** Whoever can get it now does. */
    private Sliced beginAnew(IngressId publish, TopicFilter group, Arrival arrival, Routes routes) {
        takersToFirst(publish, group, arrival);
        return routes.first().get();
    }

    private void takersToFirst(IngressId publish, @Nullable TopicFilter group, Arrival arrival) {
        arrival.whenTaken(() -> {
            Takers by = arrival.takeTakers();
            if (by != null && !remembers(publish, group, by)) {
                onOthers(other -> other.remembers(publish, group, by));
            }
        });
    }

    private boolean remembers(IngressId publish, @Nullable TopicFilter group, Takers by) {
        Arrival first = known(publish, group);
        if (first != null) {
            first.takenBy(by);
        }
        return first != null;
    }

    private Sliced begin(
            IngressId publish, @Nullable TopicFilter group, Arrival arrival, Routes routes) {
        arrival.takenBy(earlier.remove(publish));
        while (size() > 0 && (size() >= MAX || !shard.load().queues().mayRemember())) {
            // It would be delivered twice, should it come again.
            shard.counters().increment(Metric.INGRESS_FORGOTTEN);
            over((known.isEmpty() ? passed : known).keySet().iterator().next());
        }
        if (group == null) {
            known.put(publish, arrival);
        } else {
            passed.merge(
                    publish,
                    new Passed(group, arrival, null),
                    (others, first) -> new Passed(group, arrival, others));
        }
        shard.load().queues().remembered(ENTRY_BYTES);
        return routes.first().get();
    }

    private int size() {
        return known.size() + passed.size();
    }

    /** Whether another shard knows a publish, or more of it than this one. */
    private final class Question {
        private final IngressId publish;
        private final @Nullable TopicFilter group;
        private final Arrival arrival;
        private final Routes routes;
        private int missing = all.size() - 1;

        /**
         * Whom it has not come for at any shard that knows it, this one too; null while none does.
         */
        private @Nullable Parts more;

        Question(
                IngressId publish,
                @Nullable TopicFilter group,
                Arrival arrival,
                Routes routes,
                @Nullable Parts more) {
            this.more = more;
            this.publish = publish;
            this.group = group;
            this.arrival = arrival;
            this.routes = routes;
        }

        void ask() {
            onOthers(other -> other.asked(this));
        }

        /** Another shard does not know it, or only by what an earlier start has left. */
        private void unknown(@Nullable Takers by) {
            arrival.takenBy(by);
            answered();
        }

        private void found(Parts notThere) {
            Parts before = more;
            more = before == null ? notThere : before.without(before.without(notThere));
            arrival.await();
            answered();
        }

        private void answered() {
            Parts some = more;
            if (--missing == 0) {
                arrival.resume(
                        some == null
                                ? begin(publish, group, arrival, routes)
                                : beginAgain(publish, group, some, arrival, routes));
            }
        }

        private Arrivals asker() {
            return Arrivals.this;
        }
    }

    private void asked(Question question) {
        Arrival before = known(question.publish, question.group);
        if (before == null) {
            Takers by = earlier.remove(question.publish);
            question.asker().execute(asker -> question.unknown(by));
            return;
        }
        Parts more = more(before, question.arrival);
        // Behind what was sent of it to any shard: what comes next there must not overtake it.
        before.whenRouted(() -> send(question.asker(), () -> question.found(more)));
        before.whenTaken(() -> {
            ReasonCode reason = before.reason;
            boolean taken = !before.hasFailed();
            send(question.asker(), () -> Arrivals.taken(question.arrival, reason, taken));
        });
    }

    private void send(Arrivals to, Runnable word) {
        shard.sendAfterAll(
                to.shard.index(),
                new Mail() {
                    @Override
                    protected boolean handle(Shard at, int from) {
                        word.run();
                        return true;
                    }
                });
    }

    /** Publishes that will not come again. */
    void over(StreamRecord.Over record) {
        List<IngressId> elsewhere = new ArrayList<>(0);
        for (IngressId publish : record.publishes()) {
            if (!over(publish)) {
                elsewhere.add(publish);
            }
        }
        if (!elsewhere.isEmpty()) {
            onOthers(other -> elsewhere.forEach(other::over));
        }
    }

    /**
     * @return false when it is not known here
     */
    boolean over(IngressId publish) {
        Arrival arrival = known.remove(publish);
        Passed some = passed.isEmpty() ? null : passed.remove(publish);
        if (arrival != null) {
            over(arrival);
        }
        for (Passed each = some; each != null; each = each.next()) {
            over(each.arrival());
        }
        if (arrival != null || some != null) {
            return true;
        }
        Takers before = earlier.remove(publish);
        if (before != null) {
            before.forget(shard);
        }
        return before != null;
    }

    private void over(Arrival arrival) {
        shard.load().queues().remembered(-ENTRY_BYTES);
        arrival.release(shard);
    }

    /** Ids of a node, in some pieces, that are remembered here. */
    List<IngressId[]> of(int server) {
        List<IngressId> every = new ArrayList<>(known.keySet());
        every.addAll(passed.keySet());
        every.addAll(earlier.keySet());
        return InheritedPublishes.pieces(every, server);
    }

    private static boolean isFrom(Passed first, int server) {
        Passed some = first;
        while (some != null && some.arrival().from().server() != server) {
            some = some.next();
        }
        return some != null;
    }

    /** Ids that came by way of a node and from others, in pieces of one node each. */
    List<IngressId[]> through(int server) {
        Set<IngressId> some = new LinkedHashSet<>(0);
        Set<Integer> servers = new TreeSet<>();
        passed.forEach((publish, first) -> {
            if (publish.server() != server && isFrom(first, server)) {
                some.add(publish);
                servers.add(publish.server());
            }
        });
        List<IngressId[]> pieces = new ArrayList<>(0);
        servers.forEach(each -> pieces.addAll(InheritedPublishes.pieces(some, each)));
        return pieces;
    }

    /**
     * Every node has told which publishes of one may be sent again: of those that are remembered
     * here the others are over.
     *
     * @param isOpen whether somebody may send it again
     */
    void overUnless(int server, Predicate<IngressId> isOpen) {
        for (IngressId[] some : of(server)) {
            for (IngressId publish : some) {
                if (!isOpen.test(publish)) {
                    over(publish);
                }
            }
        }
    }

    private void onOthers(Consumer<Arrivals> task) {
        for (Arrivals other : all) {
            if (other != this) {
                other.execute(task);
            }
        }
    }

    private void execute(Consumer<Arrivals> task) {
        shard.execute(() -> task.accept(this));
    }
}
