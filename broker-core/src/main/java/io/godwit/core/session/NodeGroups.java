package io.godwit.core.session;

import io.godwit.core.ack.Receipt;
import io.godwit.core.ack.Taker;
import io.godwit.core.group.SharedGroup;
import io.godwit.core.index.GroupDirectory;
import io.godwit.core.index.SubscribeMail;
import io.godwit.core.index.Subscriber;
import io.godwit.core.message.Message;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.publish.GroupSender;
import io.godwit.core.routing.SharedGroupRef;
import io.godwit.core.routing.Subscription;
import io.godwit.core.shard.Mailer;
import org.jspecify.annotations.Nullable;

/** Reaches the shared groups of all shards from one of them: by mail to a group's owner. */
public final class NodeGroups implements GroupDirectory, GroupSender {
    private final Mailer mailer;
    private final OwnedGroups[] groups;

    /**
     * @param groups of all shards; filled before the first call
     */
    public NodeGroups(Mailer mailer, OwnedGroups[] groups) {
        this.mailer = mailer;
        this.groups = groups;
    }

    @Override
    public SharedGroup create(TopicFilter filter) {
        return groups[shardOf(filter, groups.length)].create(filter);
    }

    /** Which shard has the group of a filter. */
    public static int shardOf(TopicFilter filter, int shards) {
        return Math.floorMod(filter.hashCode(), shards);
    }

    @Override
    public void join(
            SharedGroupRef group,
            Subscription subscription,
            SubscribeMail.Pending pending,
            int replyTo) {
        mailer.send(
                group.owner(),
                new GroupMail.Join((SharedGroup) group, subscription, pending, replyTo));
    }

    @Override
    public void leave(SharedGroupRef group, Subscriber session, boolean sessionEnded) {
        mailer.send(group.owner(), new GroupMail.Leave(group, (Session) session, sessionEnded));
    }

    @Override
    public void online(SharedGroupRef group, Subscriber session, int credit, int connection) {
        mailer.send(
                group.owner(),
                new GroupMail.Online(
                        group, (Session) session, credit, connection, session.packetBytesMax()));
    }

    @Override
    public void offline(SharedGroupRef group, Subscriber session) {
        mailer.send(group.owner(), new GroupMail.Offline(group, (Session) session));
    }

    @Override
    public void send(SharedGroupRef group, Message message, @Nullable Receipt receipt) {
        mailer.send(group.owner(), new GroupMail.Publish(group, message, receipt, mailer.index()));
    }

    @Override
    public boolean mayHaveAdopted(TopicFilter group) {
        return groups[shardOf(group, groups.length)].hasAdopted();
    }

    @Override
    public void askAdopted(
            TopicFilter group, Message message, Receipt receipt, Runnable ifUnknown) {
        int owner = shardOf(group, groups.length);
        mailer.send(
                owner,
                new AdoptedMail.Ask(
                        groups[owner], group, message, receipt, mailer.index(), ifUnknown));
    }

    @Override
    public Taker taker(SharedGroupRef group) {
        return (from, server, counter) ->
                from.send(group.owner(), new GroupMail.Forget(group, server, counter));
    }
}
