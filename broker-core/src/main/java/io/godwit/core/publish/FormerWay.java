package io.godwit.core.publish;

import io.godwit.core.ack.Receipt;
import io.godwit.core.ack.RelayReceipt;
import io.godwit.core.message.Message;
import io.godwit.core.routing.NodeRef;
import io.godwit.core.shard.Mail;
import io.godwit.core.shard.Shard;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The way to a node that a client's PUBLISHes took from the shard on which its session was before.
 * Until the node has answered for them what follows to that node waits, or goes the same way while
 * the node is away: two streams come in any order.
 */
final class FormerWay {
    private static final long AWAY = -1;

    final NodeRef node;
    private final NodeSender sender;
    private final int at;

    /** Position of the last that went; the former shard's. */
    private long position;

    /** How many went since by mail; the former shard's. */
    private long added;

    /** What waits for mail that is still to come; the former shard's. */
    private final List<Runnable> whenAdded = new ArrayList<>(0);

    /** How many were sent there by mail; of the shard on which the session is. */
    private long sent;

    private boolean away;

    /** Switch-overs of the session's shard that the former one was asked for, and that ended. */
    private int askedFor;

    private int switchedOver;
    private final List<Runnable> waiting = new ArrayList<>(0);

    /**
     * @param sender of the shard that the session leaves, whose thread calls
     */
    FormerWay(NodeRef node, NodeSender sender, int at, long position) {
        this.node = node;
        this.sender = sender;
        this.at = at;
        this.position = position;
    }

    /** Whether the node was away since: nobody waits for it who need not. */
    boolean isAway() {
        return away;
    }

    /** Whether the former shard keeps all that it may for the node. */
    boolean isFull() {
        return sender.isFull(node);
    }

    /**
     * Whether something that went this way may go to another node that has taken over slots, and is
     * not known to be there.
     *
     * @param switchOvers of the shard on which the session is
     */
    boolean isBehind(int switchOvers) {
        return switchedOver < switchOvers;
    }

    /** Runs a task when the node has answered, or is away. */
    void whenAnswered(Runnable task) {
        waiting.add(task);
    }

    /**
     * Sends a message the same way.
     *
     * @param to the node, with what it has there now
     */
    void send(Shard here, NodeRef to, Message message, @Nullable Receipt receipt) {
        if (receipt != null) {
            receipt.await();
        }
        sent++;
        Mail mail = new Following(to, message, receipt);
        // One of QoS 2 not before its ingress id is kept, which this shard's commits do; and
        // nothing
        // before what was sent earlier.
        here.afterCommit(durable -> {
            if (durable) {
                here.send(at, mail);
            }
        });
    }

    private final class Following extends Mail {
        private final NodeRef to;
        private final Message message;
        private final @Nullable Receipt receipt;

        Following(NodeRef to, Message message, @Nullable Receipt receipt) {
            this.to = to;
            this.message = message;
            this.receipt = receipt;
        }

        @Override
        protected boolean handle(Shard former, int from) {
            Receipt here = RelayReceipt.at(former, receipt, from);
            sender.publishLate(new NodeRef[] {to}, message, here);
            sender.redirectLate(to, message, here);
            position = sender.position(node);
            added++;
            if (here != null && here != receipt) {
                if (here.routed()) {
                    here.onDone();
                }
            } else {
                Receipt.done(receipt);
            }
            run(whenAdded);
            return true;
        }

        @Override
        protected long bytes() {
            return message.accountedBytes();
        }
    }

    /**
     * Asks to be told when the node has answered for what went this way, and if it is away before.
     *
     * @param asker hears of it on its shard
     */
    void ask(Shard here, Asker asker) {
        long expected = sent;
        here.send(
                at,
                new Mail() {
                    @Override
                    protected boolean handle(Shard former, int from) {
                        answerWhenAdded(former, from, asker, expected);
                        return true;
                    }
                });
    }

    /**
     * The mail of a message that waits for its commit has not come yet: the node has not, either.
     */
    private void answerWhenAdded(Shard former, int to, Asker asker, long expected) {
        if (added < expected) {
            whenAdded.add(() -> answerWhenAdded(former, to, asker, expected));
            return;
        }
        long until = position;
        long of = added;
        sender.whenAnswered(
                node,
                until,
                () -> {
                    if (!sender.isAnswered(node, until)) {
                        former.send(to, new Answer(asker, AWAY));
                    }
                });
        sender.whenAnsweredAtLast(node, until, () -> former.send(to, new Answer(asker, of)));
    }

    /**
     * Asks to be told when the former shard has switched over as often as the session's has, and
     * what went this way has come to whoever has taken slots over.
     */
    void askSwitchOvers(Shard here, Asker asker, int switchOvers) {
        if (askedFor == switchOvers) {
            return;
        }
        askedFor = switchOvers;
        long expected = sent;
        here.send(
                at,
                new Mail() {
                    @Override
                    protected boolean handle(Shard former, int from) {
                        switchOverWhenAdded(former, from, asker, expected, switchOvers);
                        return true;
                    }
                });
    }

    private void switchOverWhenAdded(
            Shard former, int to, Asker asker, long expected, int switchOvers) {
        if (added < expected) {
            whenAdded.add(() -> switchOverWhenAdded(former, to, asker, expected, switchOvers));
            return;
        }
        // Behind what this shard has sent to sessions here.
        sender.whenSwitchedOver(
                node,
                switchOvers,
                () -> former.sendAfterAll(to, new SwitchedOver(asker, switchOvers)));
    }

    private final class SwitchedOver extends Mail {
        private final Asker asker;
        private final int switchOvers;

        SwitchedOver(Asker asker, int switchOvers) {
            this.asker = asker;
            this.switchOvers = switchOvers;
        }

        @Override
        protected boolean handle(Shard here, int from) {
            asker.onSwitchedOver(FormerWay.this, switchOvers);
            return true;
        }
    }

    /** So many switch-overs have ended, and what they redirected is there. */
    void switchedOver(int count) {
        switchedOver = Math.max(switchedOver, count);
        run(waiting);
    }

    /** Whoever has asked; on the shard that has. */
    interface Asker {
        void onAway(FormerWay way);

        /**
         * @param isOver for all that went this way: more may have followed since it was asked
         */
        void onAnswered(FormerWay way, boolean isOver);

        void onSwitchedOver(FormerWay way, int switchOvers);
    }

    private final class Answer extends Mail {
        private final Asker asker;
        private final long of;

        Answer(Asker asker, long of) {
            this.asker = asker;
            this.of = of;
        }

        @Override
        protected boolean handle(Shard here, int from) {
            if (of == AWAY) {
                asker.onAway(FormerWay.this);
            } else {
                asker.onAnswered(FormerWay.this, of == sent);
            }
            return true;
        }
    }

    /** The node is away, or has answered: whoever waits may go on. */
    void goOn(boolean isAway) {
        away = isAway;
        run(waiting);
    }

    private static void run(List<Runnable> tasks) {
        List<Runnable> all = new ArrayList<>(tasks);
        tasks.clear();
        all.forEach(Runnable::run);
    }

    /** The session goes to yet another shard. */
    void leave() {
        waiting.clear();
        askedFor = switchedOver;
    }
}
