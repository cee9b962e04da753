package io.godwit.core.publish;

import io.godwit.core.ack.Receipt;
import io.godwit.core.load.ShardLoad;
import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.GroupElsewhere;
import io.godwit.core.routing.NodeRef;
import io.godwit.core.routing.Route;
import io.godwit.core.routing.SharedGroupRef;
import io.godwit.core.routing.SpreadGroup;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.settings.SharedStrategy;
import io.godwit.core.shard.Shard;
import org.jspecify.annotations.Nullable;

/**
 * The way of a message to shared groups that several nodes have members of: to one node for each
 * group, and on to another when nobody there can get it.
 */
public final class SharedRouting {
    private final Shard shard;
    private final TopicIndex index;
    private final NodeSender nodes;
    private final LocalDelivery local;
    private final ShardLoad load;
    private final GroupChoice choice;

    SharedRouting(
            Shard shard,
            TopicIndex index,
            NodeSender nodes,
            LocalDelivery local,
            ShardLoad load,
            SharedStrategy strategy) {
        this.shard = shard;
        this.index = index;
        this.nodes = nodes;
        this.local = local;
        this.load = load;
        this.choice = new GroupChoice(strategy, nodes::isAway);
    }

    /**
     * Tells those groups of this node that are chosen.
     *
     * @return the groups of other nodes that are
     */
    GroupTargets choose(Route route, Message message, @Nullable Receipt receipt) {
        GroupTargets elsewhere = GroupTargets.NONE;
        for (SpreadGroup group : route.spread()) {
            SharedGroupRef here = group.here();
            boolean all = !nodes.choosesOneNode();
            boolean onlyHere = message.topic.isSysTree(); // Each node has its own.
            NodeRef node = onlyHere ? null : nodeOf(group, message);
            if (here != null && (node == null || all)) {
                local.tellGroup(here, message, receipt);
            }
            for (NodeRef each : all && !onlyHere ? group.elsewhere().online() : NodePaths.NONE) {
                elsewhere = each.equals(node) ? elsewhere : elsewhere.with(each, filter(group));
            }
            elsewhere = node == null ? elsewhere : elsewhere.with(node, filter(group));
            if (here == null && node == null && message.qos == 0) {
                shard.counters().increment(Metric.DROPPED_QOS0_OFFLINE);
            }
        }
        return elsewhere;
    }

    /** The node whose members get a message; null when it is this one. */
    @Nullable NodeRef nodeOf(SpreadGroup group, Message message) {
        return choice.choose(group.elsewhere(), group.here(), message);
    }

    /** Whether a message for the groups of this route would wait for a node that is away. */
    boolean awaitsNodes(Route route) {
        for (SpreadGroup group : route.spread()) {
            if (choice.isAway(group.elsewhere(), group.here())) {
                return true;
            }
        }
        return false;
    }

    private static TopicFilter filter(SpreadGroup group) {
        return group.elsewhere().filter();
    }

    /**
     * A message of another node for a group of this one.
     *
     * @param group whole filter
     */
    void arrived(Route route, TopicFilter group, Message message, @Nullable Receipt receipt) {
        boolean isAgain = receipt != null && receipt.isAgain && message.qos == 2;
        if (receipt != null && isAgain && local.mayHaveAdopted(group)) {
            askAdopted(group, message, receipt);
        } else {
            arrivedFirst(route, group, message, receipt);
        }
    }

    /**
     * A message of QoS 2 that may have come to a node before whose queues this one has adopted: to
     * nobody, when it is in one of them, or was.
     *
     * @param group whole filter
     */
    public void arrivedAgain(TopicFilter group, Message message, Receipt receipt) {
        if (local.mayHaveAdopted(group)) {
            askAdopted(group, message, receipt);
        } else {
            arrivedFirst(index.route(message.topic), group, message, receipt);
            local.forgetFull();
        }
    }

    private void askAdopted(TopicFilter group, Message message, Receipt receipt) {
        receipt.await();
        local.askAdopted(
                group,
                message,
                receipt,
                () -> {
                    arrivedFirst(index.route(message.topic), group, message, receipt);
                    local.forgetFull();
                    receipt.targetDone(true);
                });
    }

    private void arrivedFirst(
            Route route, TopicFilter group, Message message, @Nullable Receipt receipt) {
        SharedGroupRef here = route.group(group);
        if (here != null) {
            local.tellGroup(here, message, receipt);
            return;
        }
        if (receipt != null) {
            receipt.await();
        }
        if (passOn(group, message, receipt)) {
            return;
        }
        if (receipt != null && !nodes.knowsAll()) {
            // Who is to have it may be at a node that has not told. Until then it is not answered.
            load.peers(message.accountedBytes());
            nodes.whenAllKnown(() -> {
                load.peers(-message.accountedBytes());
                arrivedFirst(index.route(message.topic), group, message, receipt);
                local.forgetFull();
                Receipt.done(receipt);
            });
            return;
        }
        shard.counters().increment(Metric.DROPPED_SESSION_GONE);
        Receipt.done(receipt);
    }

    /**
     * A message that another node was passing on to this one, when this one adopted its queues. Who
     * has it recognises it.
     *
     * @param group whole filter
     * @param receipt counts it already, and is told when somebody has it
     */
    public void passOnHere(TopicFilter group, Message message, Receipt receipt) {
        arrivedFirst(index.route(message.topic), group, message, receipt);
        local.forgetFull();
        receipt.targetDone(true);
    }

    /**
     * Gives a message to other members of shared groups: those of the node that it went to are out
     * of reach, and owed nothing any more.
     *
     * @param groups whole filters
     */
    public void giveToOthers(TopicFilter[] groups, Message message, @Nullable Receipt receipt) {
        Route route = index.route(message.topic);
        for (TopicFilter group : groups) {
            arrived(route, group, message, receipt);
            local.forgetFull();
        }
    }

    /** Whether every node has told since this start what it has of groups. */
    public boolean knowsAll() {
        return nodes.knowsAll();
    }

    /** Whether another node has members of a group. */
    public boolean isElsewhere(TopicFilter group, boolean mayWait) {
        GroupElsewhere elsewhere = index.groupElsewhere(group);
        return elsewhere != null && (mayWait || elsewhere.online().length > 0);
    }

    /** Whether something is heard of such a node. */
    public boolean isHeardElsewhere(TopicFilter group, boolean mayWait) {
        GroupElsewhere elsewhere = index.groupElsewhere(group);
        return elsewhere != null && choice.isHeard(elsewhere, mayWait);
    }

    /** Whether such a node has a member that is online and takes packets of a message's size. */
    public boolean isTakenElsewhere(TopicFilter group, Message message) {
        GroupElsewhere elsewhere = index.groupElsewhere(group);
        return elsewhere != null && choice.taking(elsewhere, message) != null;
    }

    /**
     * Sends a message that has just come, and that nobody here can get, to another node that has
     * members of its group.
     *
     * @param receipt counts it already, and is told when it is there
     * @return false when none has
     */
    public boolean passOn(TopicFilter group, Message message, @Nullable Receipt receipt) {
        GroupElsewhere elsewhere = index.groupElsewhere(group);
        NodeRef to = elsewhere == null ? null : choice.choose(elsewhere, null, message);
        if (to != null) {
            nodes.passOn(to, group, message, receipt);
        }
        return to != null;
    }

    /**
     * Another node that has members of a group, and can take a message now that waits here.
     *
     * @param mayWait whether it may be a node where it has to wait
     */
    public @Nullable NodeRef takerOf(TopicFilter group, boolean mayWait, Message message) {
        GroupElsewhere elsewhere = index.groupElsewhere(group);
        if (elsewhere == null) {
            return null;
        }
        NodeRef to = choice.heard(elsewhere, true, message);
        if (to == null && mayWait) {
            to = choice.heard(elsewhere, false, message);
        }
        return to == null || !nodes.hasRoom(to) ? null : to;
    }

    /**
     * Sends a message that waits here to another node.
     *
     * @param receipt counts it already, and is told when it is there
     */
    public void passOnWaiting(NodeRef to, TopicFilter group, Message message, Receipt receipt) {
        nodes.passOn(to, group, message, receipt);
    }
}
