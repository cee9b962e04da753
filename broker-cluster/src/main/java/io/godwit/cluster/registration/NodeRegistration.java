package io.godwit.cluster.registration;

import io.godwit.cluster.registration.RegistrationMessage.OfStandIn;
import io.godwit.cluster.registration.RegistrationMessage.Register;
import io.godwit.cluster.transport.MessageHandler;
import io.godwit.cluster.transport.MessageType;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.cluster.transport.Resumed;
import io.godwit.cluster.transport.Unconfirmed;
import io.godwit.core.auth.Security.SessionOwner;
import io.godwit.core.operation.ByteReader;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The registrations of a node: makes those of each shard and brings them what links deliver and
 * tell. Links call on their threads; all else is mail for shards.
 */
public final class NodeRegistration implements MessageHandler {
    private final NodeStart self;
    private final RegistrationTimes times;
    private final SessionOwner sessionOwner;
    private final ShardMail mail;
    private final List<ShardRegistration> shards = new ArrayList<>();

    public NodeRegistration(
            NodeStart self, RegistrationTimes times, SessionOwner sessionOwner, ShardMail mail) {
        this.self = self;
        this.times = times;
        this.sessionOwner = sessionOwner;
        this.mail = mail;
    }

    /** Makes the registrations of the next shard; called for each in order, before links begin. */
    public ShardRegistration add(
            ShardTurns turns,
            Leaders leaders,
            RemoteOpener opener,
            LocalClaims registrar,
            RegistrationAccount account) {
        int shard = shards.size();
        ShardRegistration made =
                new ShardRegistration(
                        self,
                        shard,
                        mail.shards(),
                        times,
                        sessionOwner,
                        turns,
                        leaders,
                        opener,
                        registrar,
                        account,
                        (to, messages) -> deliver(shard, to, messages));
        shards.add(made);
        return made;
    }

    private void deliver(int from, int to, List<RegistrationMessage> messages) {
        ShardRegistration receiver = shards.get(to);
        if (from == to) {
            receiver.onMessages(self, messages);
        } else {
            mail.execute(to, () -> receiver.onMessages(self, messages));
        }
    }

    /** Returns the types of the messages that come here. */
    public static MessageType[] messages() {
        return new MessageType[] {RegistrationBatch.TYPE};
    }

    @Override
    public boolean onMessage(PeerLink from, MessageType type, ByteReader body, int length) {
        List<List<RegistrationMessage>> byShard = new ArrayList<>();
        for (int i = 0; i < shards.size(); i++) {
            byShard.add(new ArrayList<>(0));
        }
        while (!body.isAtEnd()) {
            RegistrationMessage message = inLocalTime(RegistrationCodec.read(body), from);
            RegistrationRoutes.route(message, shards.size(), byShard);
        }
        NodeStart peer = from.peer();
        for (int i = 0; i < shards.size(); i++) {
            List<RegistrationMessage> messages = byShard.get(i);
            if (!messages.isEmpty()) {
                ShardRegistration receiver = shards.get(i);
                mail.execute(i, () -> receiver.onMessages(peer, messages));
            }
        }
        return true;
    }

    private static RegistrationMessage inLocalTime(RegistrationMessage message, PeerLink from) {
        if (message instanceof OfStandIn of) {
            return new OfStandIn(inLocalTime(of.message(), from));
        }
        return message instanceof Register m
                ? m.connectedAt(from.localMs(m.connectedMs()))
                : message;
    }

    // ---------------------------------------------------------------- links

    public void onUp(PeerLink link, Resumed resumed) {
        onEachShard(each -> each.onUp(link, resumed));
    }

    public void onSilent(PeerLink link) {
        onEachShard(each -> each.onSilent(link.peer()));
    }

    public void onHeard(PeerLink link) {
        onEachShard(each -> each.onHeard(link.peer()));
    }

    /**
     * Notes that a link has ended.
     *
     * @param unconfirmed by all rooms; those of others are left alone
     */
    public void onDown(PeerLink link, List<Unconfirmed> unconfirmed) {
        for (int i = 0; i < shards.size(); i++) {
            int shard = i;
            List<Unconfirmed> mine =
                    unconfirmed.stream()
                            .filter(each ->
                                    each.message() instanceof RegistrationBatch batch
                                            && batch.shard() == shard)
                            .toList();
            ShardRegistration receiver = shards.get(i);
            mail.execute(i, () -> receiver.onDown(link, mine));
        }
    }

    /** Notes that a server was forgotten: what it had has ended. Any thread calls. */
    public void forget(int server) {
        onEachShard(each -> each.onForgotten(server));
    }

    private void onEachShard(Consumer<ShardRegistration> task) {
        for (int i = 0; i < shards.size(); i++) {
            ShardRegistration each = shards.get(i);
            mail.execute(i, () -> task.accept(each));
        }
    }
}
