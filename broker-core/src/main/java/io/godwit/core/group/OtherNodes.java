package io.godwit.core.group;

import io.godwit.core.ack.Receipt;
import io.godwit.core.message.Message;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.queue.PartEntry;
import io.godwit.core.routing.NodeRef;
import org.jspecify.annotations.Nullable;

/** What other nodes have of shared groups, as the groups of one shard ask. */
public interface OtherNodes {
    /** There is no other node. */
    OtherNodes NONE =
            new OtherNodes() {
                @Override
                public boolean haveMembers(TopicFilter filter, boolean mayWait) {
                    return false;
                }

                @Override
                public boolean areKnown() {
                    return true;
                }

                @Override
                public boolean mayTake(TopicFilter filter, boolean mayWait) {
                    return false;
                }

                @Override
                public boolean mayTake(TopicFilter filter, Message message) {
                    return false;
                }

                @Override
                public boolean passOn(
                        TopicFilter filter, Message message, @Nullable Receipt receipt) {
                    return false;
                }

                @Override
                public @Nullable NodeRef takerOf(
                        TopicFilter filter, boolean mayWait, Message message) {
                    return null;
                }

                @Override
                public void passOnWaiting(
                        NodeRef to, TopicFilter filter, PartEntry entry, Receipt receipt) {
                    receipt.targetDone(false);
                }

                @Override
                public void passOnAgain(
                        NodeRef to, TopicFilter filter, Message message, Receipt receipt) {
                    receipt.targetDone(false);
                }
            };

    /**
     * Whether one of them has members of a group.
     *
     * @param filter whole
     * @param mayWait whether members count that are not online
     */
    boolean haveMembers(TopicFilter filter, boolean mayWait);

    /** Whether all of them have told since this start what they have of groups. */
    boolean areKnown();

    /** Whether one of these is heard, too. */
    boolean mayTake(TopicFilter filter, boolean mayWait);

    /**
     * Whether one that is heard has a member that is online and takes packets of a message's size.
     */
    boolean mayTake(TopicFilter filter, Message message);

    /**
     * Gives one of them a message that has just come, and that nobody here can get.
     *
     * @param receipt counts it already; told when it is there
     * @return false when none has members
     */
    boolean passOn(TopicFilter filter, Message message, @Nullable Receipt receipt);

    /** One that can take a message now that waits here; null when none can. */
    @Nullable NodeRef takerOf(TopicFilter filter, boolean mayWait, Message message);

    /**
     * Gives a node a message that waits here. It leaves when it is kept that this node has it.
     *
     * @param receipt told when it is there; {@link Receipt#isAgain} when an earlier start may have
     *     sent it there
     */
    void passOnWaiting(NodeRef to, TopicFilter filter, PartEntry entry, Receipt receipt);

    /**
     * Gives a node a message of QoS 2 that it may have, under the id that it came with.
     *
     * @param receipt told when it is there
     */
    void passOnAgain(NodeRef to, TopicFilter filter, Message message, Receipt receipt);
}
