package io.godwit.core.publish;

import io.godwit.core.codec.PublishEncoder;
import io.godwit.core.message.Message;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.GroupElsewhere;
import io.godwit.core.routing.GroupState;
import io.godwit.core.routing.NodeRef;
import io.godwit.core.routing.SharedGroupRef;
import io.godwit.core.settings.SharedStrategy;
import java.util.Arrays;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the node whose members of a shared group get a message: this one if a member is online
 * here; else one with members that are online; else one where the message can wait, this one first.
 * One of QoS 0 waits nowhere: it would go to and fro between nodes whose members are all offline. A
 * node whose online members refuse a packet of the message's size (Maximum Packet Size) is chosen
 * only when no other one takes it, and a node that nothing is heard of when there is no other.
 *
 * <p>Among several it is the highest mix of node and message (rendezvous hashing), so a node that
 * comes or goes changes nothing between others: of the client id or the topic for these strategies,
 * else of the ingress id. {@code sticky} stays with one node.
 */
final class GroupChoice {
    private static final int[] NO_IDS = new int[0];

    private final SharedStrategy strategy;
    private final Predicate<NodeRef> isAway;

    /**
     * @param isAway whether nothing is heard of a node
     */
    GroupChoice(SharedStrategy strategy, Predicate<NodeRef> isAway) {
        this.strategy = strategy;
        this.isAway = isAway;
    }

    /**
     * @param here the group of this node, or null
     * @return null when it is this node, or at QoS 0 when no other has a member online
     */
    @Nullable NodeRef choose(
            GroupElsewhere elsewhere, @Nullable SharedGroupRef here, Message message) {
        GroupState ofThis = here == null ? GroupState.NONE : here.state();
        if (ofThis.isOnline()) {
            return takes(ofThis.packetBytesMax(), message) ? null : taking(elsewhere, message);
        }
        NodeRef online = heard(elsewhere, true, message);
        if (online != null || ofThis.isWaiting()) {
            return online;
        }
        long hash = hash(elsewhere.filter(), message);
        if (message.qos == 0) {
            return highest(elsewhere.online(), hash, true);
        }
        NodeRef waiting = heard(elsewhere, false, message);
        return waiting == null ? away(elsewhere, hash) : waiting;
    }

    /** One with a durable member first: at the others nobody is owed anything any more. */
    private @Nullable NodeRef away(GroupElsewhere of, long hash) {
        NodeRef[] durable = hasDurable(of.online()) ? of.online() : of.waiting();
        if (hasDurable(durable)) {
            NodeRef[] some =
                    Arrays.stream(durable).filter(NodeRef::hasDurable).toArray(NodeRef[]::new);
            return highest(some, hash, true);
        }
        return highest(of.online().length > 0 ? of.online() : of.waiting(), hash, true);
    }

    private static boolean hasDurable(NodeRef[] of) {
        for (NodeRef node : of) {
            if (node.hasDurable()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether only nodes that nothing is heard of have members, and one of these is durable.
     *
     * @param here the group of this node, or null
     */
    boolean isAway(GroupElsewhere elsewhere, @Nullable SharedGroupRef here) {
        return (here == null || here.state().isNone())
                && !isHeard(elsewhere, true)
                && (hasDurable(elsewhere.online()) || hasDurable(elsewhere.waiting()));
    }

    /**
     * Whether something is heard of a node that has members.
     *
     * @param mayWait whether members count that are not online
     */
    boolean isHeard(GroupElsewhere of, boolean mayWait) {
        return !noneIsHeard(of.online()) || mayWait && !noneIsHeard(of.waiting());
    }

    private boolean noneIsHeard(NodeRef[] of) {
        for (NodeRef node : of) {
            if (isHeard(node)) {
                return false;
            }
        }
        return true;
    }

    /**
     * One of the nodes that have members, and that something is heard of.
     *
     * @param online whose members are online; else those where messages wait
     */
    @Nullable NodeRef heard(GroupElsewhere of, boolean online, Message message) {
        if (!online) {
            return highest(of.waiting(), hash(of.filter(), message), false);
        }
        NodeRef taking = taking(of, message);
        return taking == null ? chosen(of.online(), of, message) : taking;
    }

    /**
     * One of the nodes with a member that is online and takes packets of the message's size, and
     * that something is heard of.
     */
    @Nullable NodeRef taking(GroupElsewhere of, Message message) {
        NodeRef[] nodes = of.online();
        for (NodeRef node : nodes) {
            if (!takes(node.packetBytesMax(), message)) {
                nodes =
                        Arrays.stream(nodes)
                                .filter(each -> takes(each.packetBytesMax(), message))
                                .toArray(NodeRef[]::new);
                break;
            }
        }
        return chosen(nodes, of, message);
    }

    private @Nullable NodeRef chosen(NodeRef[] nodes, GroupElsewhere of, Message message) {
        NodeRef sticky = of.sticky();
        if (strategy == SharedStrategy.STICKY
                && sticky != null
                && isHeard(sticky)
                && (nodes == of.online() || Arrays.asList(nodes).contains(sticky))) {
            return sticky;
        }
        return highest(nodes, hash(of.filter(), message), false);
    }

    /**
     * Whether a packet of a message, without Subscription Identifiers, has at most so many bytes.
     */
    private static boolean takes(int packetBytesMax, Message message) {
        return packetBytesMax == Integer.MAX_VALUE
                || PublishEncoder.length(
                                ProtocolVersion.MQTT_5,
                                message.qos,
                                message.topic.length(),
                                0,
                                message.expiresAtMs == Message.NEVER ? -1 : 0,
                                NO_IDS,
                                message.properties.length,
                                message.payload.length)
                        <= packetBytesMax;
    }

    private @Nullable NodeRef highest(NodeRef[] of, long hash, boolean awayToo) {
        NodeRef chosen = null;
        long best = 0;
        for (NodeRef node : of) {
            long mixed = mix(hash ^ mix(node.server()));
            if ((chosen == null || mixed > best) && (awayToo || isHeard(node))) {
                chosen = node;
                best = mixed;
            }
        }
        return chosen;
    }

    private boolean isHeard(NodeRef node) {
        return !isAway.test(node);
    }

    private long hash(TopicFilter filter, Message message) {
        return switch (strategy) {
            case HASH_CLIENT -> hash(message.publisher);
            case HASH_TOPIC -> message.topic.hashCode();
            case STICKY -> filter.hashCode();
            case ROUND_ROBIN, RANDOM, LEAST_IN_FLIGHT ->
                    message.ingressCounter * 31 + message.ingressServer;
        };
    }

    private static long hash(@Nullable ClientId publisher) {
        return publisher == null ? 0 : publisher.hashCode();
    }

    /** Well mixed bits of any number: the finalizer of SplitMix64. */
    private static long mix(long number) {
        long z = (number ^ number >>> 30) * 0xBF58_476D_1CE4_E5B9L;
        z = (z ^ z >>> 27) * 0x94D0_49BB_1331_11EBL;
        return z ^ z >>> 31;
    }
}
