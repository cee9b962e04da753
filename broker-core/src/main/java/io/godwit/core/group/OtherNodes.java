package io.godwit.core.group;

import io.godwit.core.ack.Receipt;
import io.godwit.core.message.Message;
import io.godwit.core.packet.TopicFilter;
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
                public boolean passOn(
                        TopicFilter filter, Message message, @Nullable Receipt receipt) {
                    return false;
                }

                @Override
                public boolean passOnWaiting(
                        TopicFilter filter, boolean mayWait, Message message, Receipt receipt) {
                    return false;
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
     * Gives one of them a message that has just come, and that nobody here can get.
     *
     * @param receipt counts it already; told when it is there
     * @return false when none has members
     */
    boolean passOn(TopicFilter filter, Message message, @Nullable Receipt receipt);

    /**
     * Gives one of them a message that waits here.
     *
     * @return false when that cannot be now
     */
    boolean passOnWaiting(TopicFilter filter, boolean mayWait, Message message, Receipt receipt);
}
