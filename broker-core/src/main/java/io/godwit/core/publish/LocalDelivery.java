package io.godwit.core.publish;

import io.godwit.core.ack.Receipt;
import io.godwit.core.load.CrowdBrake;
import io.godwit.core.load.ShardLoad;
import io.godwit.core.mail.Recipient;
import io.godwit.core.message.CameBefore;
import io.godwit.core.message.Message;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.Route;
import io.godwit.core.routing.RouteTarget;
import io.godwit.core.routing.SharedGroupRef;
import io.godwit.core.routing.Subscription;
import io.godwit.core.shard.Shard;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Tells the sessions and groups of this node of a message: sessions of this shard at once, those of
 * another by one mail per shard.
 *
 * <p>A transient session of another shard has taken the message in when it stands in that shard's
 * mailbox, which lives and dies with the session; only durable ones are waited for.
 */
final class LocalDelivery {
    /** From so many targets on, what is written may gather with what follows. */
    private static final int GATHER_FROM = 64;

    private final Shard shard;
    private final GroupSender groups;
    private final ShardLoad load;
    private final CrowdBrake crowd;
    private Subscription[][] remote = new Subscription[0][];
    private int[] remoteCount = new int[0];

    /** A target of the message that is routed now, for which its publisher has to wait. */
    private @Nullable RouteTarget full;

    /** Whether a message went to many, while shards have enough of that to do. */
    private boolean isCrowded;

    LocalDelivery(Shard shard, GroupSender groups, ShardLoad load, CrowdBrake crowd) {
        this.shard = shard;
        this.groups = groups;
        this.load = load;
        this.crowd = crowd;
    }

    /** One of those that were told since this was asked, for which their publisher has to wait. */
    @Nullable RouteTarget takeFull() {
        RouteTarget target = full;
        full = null;
        return target;
    }

    /** Whether one that was told since this was asked went to many, and shards are crowded. */
    boolean takeCrowd() {
        boolean was = isCrowded;
        isCrowded = false;
        return was;
    }

    /** Forgets who was full: what has come from another node may have left one. */
    void forgetFull() {
        full = null;
        isCrowded = false;
    }

    /** How many targets {@link #tell} counts of a route. */
    static int targets(Route route) {
        return route.groups().length + route.count();
    }

    /**
     * Tells targets of a route from one to before another: its groups, then its sessions.
     *
     * @param gate leaves out sessions; null in peace
     */
    void tell(
            Route route,
            int from,
            int to,
            Message message,
            @Nullable Receipt receipt,
            @Nullable SlotGate gate) {
        int groups = route.groups().length;
        if (from < groups) {
            tellGroups(route, from, Math.min(to, groups), message, receipt);
        }
        if (to > groups) {
            boolean gathers = route.count() >= GATHER_FROM;
            if (gathers) {
                shard.gather(true);
            }
            tellSessions(route, Math.max(0, from - groups), to - groups, message, receipt, gate);
            if (gathers) {
                shard.gather(false);
                isCrowded |= load.isCrowded();
            }
        }
    }

    private void tellGroups(
            Route route, int from, int to, Message message, @Nullable Receipt receipt) {
        for (int i = from; i < to; i++) {
            tellGroup(route.groups()[i], message, receipt);
        }
    }

    /** See {@link GroupSender#mayHaveAdopted}. */
    boolean mayHaveAdopted(TopicFilter group) {
        return groups.mayHaveAdopted(group);
    }

    /** See {@link GroupSender#askAdopted}. */
    void askAdopted(TopicFilter group, Message message, Receipt receipt, Runnable ifUnknown) {
        groups.askAdopted(group, message, receipt, ifUnknown);
    }

    void tellGroup(SharedGroupRef group, Message message, @Nullable Receipt receipt) {
        tell(group, message, receipt);
        if (group.isFull()) {
            full = group;
        }
    }

    private void tell(SharedGroupRef group, Message message, @Nullable Receipt receipt) {
        // One that is not durable may become so while it has the message, and tells that it has it.
        boolean asks = receipt != null && (group.isDurable() || receipt.comesAgainAfterCrash());
        Receipt waits = asks ? receipt : null;
        if (waits != null) {
            waits.await();
            if (waits.mayComeAgain) {
                waits.takenBy(message, groups.taker(group));
            }
        }
        groups.send(group, message, waits);
    }

    private void tellSessions(
            Route route,
            int from,
            int to,
            Message message,
            @Nullable Receipt receipt,
            @Nullable SlotGate gate) {
        int self = shard.index();
        boolean looksForFull = load.isMemoryShort();
        boolean isAgain = isAgain(receipt, gate);
        boolean hasQos = message.qos > 0;
        boolean single = to - from == 1;
        for (int i = from; i < to; i++) {
            Subscription subscription = ofTarget(route, i, message);
            if (subscription == null) {
                continue;
            }
            Recipient session = (Recipient) subscription.session;
            if (gate != null && gate.skips(subscription, session)) {
                continue;
            }
            if (looksForFull && session.isFull()) {
                full = session;
            }
            if (isAgain && isPassedOver(receipt, subscription, session)) {
                continue;
            }
            Receipt waits = hasQos ? awaiting(receipt, subscription, message, session) : null;
            int owner = session.owner();
            if (owner == self && session.handOver() == null) {
                DeliveryMail.deliver(session, message, subscription, waits);
            } else if (owner == self || single || waits != null) {
                bring(message, subscription, route.count(), waits, owner);
            } else {
                gather(owner, subscription, to - from);
            }
        }
        if (!single) {
            sendGathered(message, route.count());
        }
        if (hasQos && gate == null && load.isAnyBehind() && from == 0 && to == route.count()) {
            lookForBehind(route, message);
        }
    }

    /** Of what was redirected only sessions are told that recognise it. */
    private static boolean isAgain(@Nullable Receipt receipt, @Nullable SlotGate gate) {
        return receipt != null && receipt.isAgain && (gate == null || !gate.isRedirected());
    }

    /** By which the message goes to a target of the route; null when it does not. */
    private static @Nullable Subscription ofTarget(Route route, int number, Message message) {
        Subscription subscription = route.at(number);
        return subscription == null ? null : subscription.forPublisher(message.publisher);
    }

    /**
     * Whoever gets a message may be behind: then its publisher waits, unless somebody else gets it,
     * here or at another node, who is not. Nobody sets the pace for others.
     */
    private void lookForBehind(Route route, Message message) {
        if (route.groups().length + route.nodes().length + route.spread().length > 0) {
            return;
        }
        RouteTarget behind = null;
        for (int i = 0; i < route.count(); i++) {
            Subscription subscription = ofTarget(route, i, message);
            if (subscription != null) {
                behind = subscription.session;
                if (subscription.qos == 0 || !behind.isBehind()) {
                    return;
                }
            }
        }
        if (behind != null) {
            full = behind;
        }
    }

    /**
     * Of a message that comes again: who gets it at most once, or has it and would take it twice,
     * or has subscribed since it came first.
     */
    private static boolean isPassedOver(
            @Nullable Receipt receipt, Subscription subscription, Recipient session) {
        if (subscription.qos == 0 || receipt == null) {
            return subscription.qos == 0;
        }
        CameBefore before = subscription.cameBefore();
        return receipt.isKnownHere && !session.isAwaited()
                || before != null && receipt.isAmong(before);
    }

    private void bring(
            Message message,
            Subscription subscription,
            int of,
            @Nullable Receipt waits,
            int owner) {
        int self = shard.index();
        DeliveryMail.One mail = new DeliveryMail.One(message, subscription, of, waits, self);
        if (owner == self) {
            mail.handle(shard, owner);
        } else {
            shard.send(owner, mail);
        }
    }

    /** The receipt, told to await a session for which publishers wait; null when nobody does. */
    private static @Nullable Receipt awaiting(
            @Nullable Receipt receipt,
            Subscription subscription,
            Message message,
            Recipient session) {
        if (receipt == null || subscription.qos == 0 || !session.isAwaited()) {
            return null;
        }
        receipt.await();
        if (receipt.mayComeAgain) {
            receipt.takenBy(message, session);
        }
        return receipt;
    }

    private void gather(int owner, Subscription subscription, int max) {
        if (remote.length == 0) {
            remote = new Subscription[shard.shards()][];
            remoteCount = new int[shard.shards()];
        }
        Subscription[] gathered = remote[owner];
        if (gathered == null || gathered.length == remoteCount[owner]) {
            gathered =
                    gathered == null
                            ? new Subscription[Math.min(max, 64)]
                            : Arrays.copyOf(gathered, gathered.length * 2);
            remote[owner] = gathered;
        }
        gathered[remoteCount[owner]++] = subscription;
    }

    /**
     * @param of targets of the route, whose mails share the message
     */
    private void sendGathered(Message message, int of) {
        for (int i = 0; i < remoteCount.length; i++) {
            int count = remoteCount[i];
            if (count > 0) {
                remoteCount[i] = 0;
                shard.send(
                        i,
                        new DeliveryMail.Many(
                                message,
                                Arrays.copyOf(remote[i], count),
                                count,
                                message.accountedBytes() * (long) count / of,
                                null,
                                shard.index(),
                                shard.isGathering() ? crowd.onSent(i, count) : null));
            }
        }
    }
}
