package io.godwit.core.group;

import io.godwit.core.ack.Receipt;
import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.queue.PartEntry;
import io.godwit.core.routing.SessionRef;
import io.godwit.core.routing.SharedGroupRef;
import io.godwit.core.routing.Subscription;
import io.godwit.core.store.Receiver;
import org.jspecify.annotations.Nullable;

/** What a shared group wants done. Does not call back into the group. */
public interface GroupEffects {
    /**
     * A message for one member.
     *
     * @param attachment what the member's session gave at {@link SharedGroup#join} or {@link
     *     SharedGroup#online}. A session whose connection is another one by now sends nothing: the
     *     group has taken it back
     * @param entry for {@link SharedGroup#acked} and the like; null when sent as QoS 0
     * @param qos the lower of the message's and the member's [MQTT-4.8.2-3]
     */
    void deliver(
            Subscription member,
            int attachment,
            @Nullable PartEntry entry,
            Message message,
            int qos);

    /** Names a durable member's session in marks. */
    Receiver receiver(SessionRef session);

    /**
     * Hands a message over to the queue of a durable member, under an id of its own. Told is {@link
     * SharedGroup#appended}, {@link SharedGroup#notAppended} or {@link SharedGroup#isElsewhere},
     * and when the client is done with it {@link SharedGroup#handedOverLeft}.
     */
    void handOver(HandedOver given, Message message);

    /**
     * Asks a session, at whatever node that is, whether its queue has an entry; {@link
     * SharedGroup#answered} follows.
     */
    void ask(HandedOver each);

    /** Asks, after a while, what nobody could say before. */
    void askLater(HandedOver each);

    /** It is kept that an entry is gone: nobody need remember its hand-over. */
    void over(HandedOver each);

    /** Whether a session is not at this node any more, though it has not ended. */
    boolean isElsewhere(SessionRef session);

    /**
     * Messages that nobody gets.
     *
     * @param message null when it was not in memory
     */
    void discarded(@Nullable Message message, Metric cause, int count);

    /**
     * A part has a queue of the store from now on.
     *
     * @return its queue id, new; 0 when there is none, and nothing is kept
     */
    long newQueue(TopicFilter filter, int part);

    /** The store may forget this queue of the group. */
    void removeQueue(TopicFilter filter, long queueId);

    /**
     * Another node leads the queue of a part of the group: it is not served here any more.
     *
     * @param part 0..15
     */
    void setQueueAside(TopicFilter filter, int part, long queueId);

    /** Answers for a message that was not taken, when all before it is kept. */
    void answer(Receipt waiting);

    /** It may have work for later turns, or be over: told after each change. */
    void changed(SharedGroupRef group);

    /** Other nodes may have members of it, too. */
    OtherNodes otherNodes();

    /**
     * The group of this node that has been made since all members of this one have left, and that
     * is to have what other nodes would get; null when there is none, or nobody there who could.
     */
    @Nullable SharedGroupRef successor(SharedGroupRef group);

    /**
     * Gives it a message that waits here.
     *
     * @param receipt counts it already, and is told when it is there
     */
    void handOver(SharedGroupRef successor, Message message, Receipt receipt);

    /** Its {@link SharedGroupRef#state} is another one now. */
    void stateChanged(SharedGroupRef group);

    /** {@link SharedGroup#work} has something to do, though nobody has called the group. */
    void onPage(SharedGroupRef group);

    void onReadFailed(SharedGroupRef group, Throwable failure);
}
