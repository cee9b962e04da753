package io.godwit.cluster.publish;

import io.godwit.cluster.stream.StreamRecord;
import io.godwit.core.ack.EveryNode;
import io.godwit.core.ack.Takers;
import io.godwit.core.id.IngressId;
import io.godwit.core.metrics.Metric;
import io.godwit.core.publish.NodeSender;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.shard.Shard;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Knows which publishes of QoS 2 may be sent again, and tells who remembers one when it is over.
 * Mostly that is said by the node where it came in, to those that it was sent to. When another node
 * has {@link InheritedPublishes inherited} it, that one says it to every node; and when the node
 * where it came in has started anew, it says nothing before all others have told which of its
 * publishes they have inherited.
 *
 * <p>One for all shards of a node; each calls on its own thread.
 */
public final class Releases {
    private final int server;
    private final List<ShardStreams> all;
    private final InheritedPublishes inherited = new InheritedPublishes();
    private Ways ways = (what, task) -> task.run();

    /** Server ids of nodes that do not belong to the cluster; on the shard of the topic index. */
    private Set<Integer> forgotten = Set.of();

    /** What is on its way between nodes. */
    public interface Ways {
        /**
         * Runs a task once no node has anything on its way to any node that was sent before now.
         *
         * @param what it is: asked for again before that, it may be done once
         */
        void whenAllClear(Object what, Runnable task);
    }

    /**
     * @param server id of this node
     * @param all of all shards of the node, by their index; filled before the shards run
     */
    Releases(int server, List<ShardStreams> all) {
        this.server = server;
        this.all = all;
    }

    /** Called once, before the shards run. */
    void connect(Ways between) {
        ways = between;
    }

    boolean isThisNode(int of) {
        return of == server;
    }

    /** Whether a publish came in at this node. */
    boolean isOwn(IngressId publish) {
        return publish.server() == server;
    }

    private ShardStreams owner() {
        return all.get(TopicIndex.OWNER);
    }

    private void onOwner(Consumer<ShardStreams> task) {
        ShardStreams owner = owner();
        owner.shard.execute(() -> task.accept(owner));
    }

    private void onEach(Consumer<ShardStreams> task) {
        all.forEach(each -> each.shard.execute(() -> task.accept(each)));
    }

    // ---------------------------------------------------------------- publishers of this node

    /** At start, before the shards run: a publish of an earlier start may be sent again. */
    void mayBeSentAgain(IngressId publish) {
        if (isOwn(publish)) {
            owner().open.add(publish);
        } else {
            addInherited(publish);
        }
    }

    private void addInherited(IngressId publish) {
        if (inherited.add(publish)) {
            owner().shard.counters().increment(Metric.INGRESS_FORGOTTEN);
        }
    }

    /**
     * Another node has adopted sessions of this one, and says when their publishes are over. Any
     * thread.
     *
     * @param remembered who remembers them here; not used afterwards
     */
    void letGo(Map<IngressId, Takers> remembered) {
        owner().arrivals.adopted(remembered);
    }

    /**
     * Notes what comes with sessions that this node has adopted. Every node hears of each of their
     * publishes that this one says when it is over, before it hears that the sessions were taken
     * over. The node where a publish came in is asked later which of those are over that their
     * queues remember: only when nothing is on its way to any node that was sent before the
     * sessions' new leader was known, since a publish that is over may be among that, and would be
     * delivered again. On the shard that owns the topic index.
     *
     * @param leader server id of the former leader, which says itself what is over when it is back
     */
    void adopted(int leader, Set<IngressId> publishes, Map<IngressId, Takers> remembered) {
        publishes.forEach(this::mayBeSentAgain);
        List<IngressId[]> pieces = InheritedPublishes.pieces(publishes);
        owner().peers.all().forEach(to -> pieces.forEach(to::tellInherited));
        Set<IngressId> asked = new LinkedHashSet<>(remembered.keySet());
        asked.removeIf(each -> each.server() == leader);
        owner().arrivals.adopted(remembered);
        if (!asked.isEmpty()) {
            ways.whenAllClear(new Object(), () -> ask(asked));
        }
    }

    /**
     * Asks the nodes where publishes came in, as far as they are known: others ask when they come.
     */
    private void ask(Set<IngressId> publishes) {
        ShardStreams owner = owner();
        Set<Integer> servers = new TreeSet<>();
        publishes.forEach(each -> servers.add(each.server()));
        for (int each : servers) {
            if (each == server || owner.peers.servers().contains(each)) {
                InheritedPublishes.pieces(publishes, each).forEach(some -> ask(owner.shard, some));
            }
        }
        if (servers.stream().anyMatch(forgotten::contains)) {
            ways.whenAllClear(this, this::forgetTheirs);
        }
    }

    /** See {@link #overEverywhere}. */
    EveryNode everyNode() {
        return (from, ingressServer, ingressCounter, rest) ->
                overEverywhere(from, new IngressId(ingressServer, ingressCounter), rest);
    }

    /**
     * Tells all nodes that a publish of an earlier start, or an inherited one, will not be sent
     * again: any of them may remember it, this one too. They are told when nobody has anything on
     * the way to any of them: the node where it came in may have sent it, and not been answered.
     * None is told before the others, since one that has forgotten it may get it from one that has
     * not.
     *
     * @param from shard of its receipt
     * @param rest to be done there then
     */
    private void overEverywhere(Shard from, IngressId publish, Runnable rest) {
        Runnable here = () -> from.execute(rest);
        Runnable clear = () -> over(owner(), publish, here);
        all.get(from.index())
                .open
                .whenOver(from, () -> onOwner(owner -> ways.whenAllClear(publish, clear)));
    }

    private void over(ShardStreams owner, IngressId publish, Runnable rest) {
        owner.open.remove(publish);
        List.copyOf(owner.peers.all()).forEach(peer -> peer.over(publish));
        onEach(each -> each.arrivals.over(publish));
        rest.run();
        inherited.remove(publish);
    }

    /**
     * A publish is over that one shard has sent to a node.
     *
     * @param tell tells the node so, on that shard; not to be done when {@link #overEverywhere} is
     */
    void over(Shard shard, IngressId publish, Runnable tell) {
        if (!inherited.isSome()) {
            tell.run();
            return;
        }
        onOwner(owner -> {
            if (!inherited.has(publish)) {
                shard.execute(tell);
            }
        });
    }

    // ---------------------------------------------------------------- what others say

    /** A new start of a node, of which nothing is known: on the shard that owns the topic index. */
    void tellInherited(PeerStreams to) {
        inherited.all().forEach(to::tellInherited);
    }

    // ---------------------------------------------------------------- nodes that are forgotten

    /**
     * These nodes do not belong to the cluster, and others lead all that they led. Nobody says any
     * more that their publishes are over, so all are over that no other node has inherited: who has
     * taken over from them has told that, and a member that is away does when it is back. On the
     * shard that owns the topic index.
     *
     * @param servers their server ids
     */
    void forgotten(Set<Integer> servers) {
        forgotten = servers;
        if (!servers.isEmpty()) {
            ways.whenAllClear(this, this::forgetTheirs);
        }
    }

    /** All nodes have told which publishes of those nodes may be sent again. */
    private void forgetTheirs() {
        Set<Integer> servers = forgotten;
        Set<IngressId> open = new HashSet<>();
        servers.forEach(each -> inherited.of(each).forEach(some -> open.addAll(List.of(some))));
        onEach(each -> servers.forEach(server -> each.arrivals.overUnless(server, open::contains)));
    }

    /** Another node has inherited these; on the shard that owns the topic index. */
    void inherited(StreamRecord.Inherited some) {
        List.of(some.publishes()).forEach(this::addInherited);
    }

    /** A node has said that publishes are over: perhaps inherited ones. */
    void over(int from, StreamRecord.Over over) {
        if (inherited.isSome()) {
            onOwner(owner -> List.of(over.publishes()).forEach(inherited::remove));
        }
        for (IngressId publish : over.publishes()) {
            if (isOwn(publish) && from != server) {
                onEach(each -> each.open.remove(publish));
            }
        }
    }

    /**
     * Asks the node where publishes came in whether they are over: all of one node.
     *
     * @param shard that remembers them
     */
    void ask(Shard shard, IngressId[] publishes) {
        StreamRecord.Remembered some = new StreamRecord.Remembered(publishes);
        if (isOwn(publishes[0])) {
            asked(server, some);
            return;
        }
        PeerStreams to = all.get(shard.index()).peers.of(publishes[0].server());
        to.publishes.add(some, null, false, false, false);
    }

    /**
     * Tells a node, or this one, that a publish is over.
     *
     * @param shard which calls
     */
    void tellOver(Shard shard, int to, IngressId publish) {
        if (to == server) {
            onEach(each -> each.arrivals.over(publish));
        } else {
            all.get(shard.index()).peers.of(to).over(publish);
        }
    }

    /**
     * A node asks whether it still has to remember publishes: it, or this one, or one that has
     * passed them on, has started anew, and may not have heard what was over before. Not answered
     * while publishers wait: another node may have taken their sessions over, and not have told yet
     * which publishes it has inherited. Nobody has sent those that had only targets here.
     */
    void asked(int by, StreamRecord.Remembered some) {
        Set<IngressId> left = new LinkedHashSet<>(List.of(some.publishes()));
        onOwner(owner -> {
            NodeSender sender = owner.sender();
            Runnable answer = () -> overUnlessOpen(all.size() - 1, left, by);
            sender.whenAllKnown(() -> sender.whenReady(answer));
        });
    }

    /**
     * Goes from shard to shard, last to the one at which what an earlier start has left is known.
     */
    private void overUnlessOpen(int next, Set<IngressId> left, int by) {
        ShardStreams at = all.get(next);
        at.shard.execute(() -> {
            at.open.asked(by, left);
            at.shard.keepHandedOver(left);
            if (next > TopicIndex.OWNER) {
                overUnlessOpen(next - 1, left, by);
            } else {
                left.removeIf(inherited::has);
                left.forEach(each -> tellOver(at.shard, by, each));
            }
        });
    }

    /**
     * All nodes have told which publishes they have inherited: of those of an earlier start that
     * queues here remember the others are over. On the shard that owns the topic index.
     */
    void allTold() {
        ShardStreams owner = owner();
        owner.arrivals.overUnless(
                server, publish -> owner.open.has(publish) || inherited.has(publish));
    }
}
