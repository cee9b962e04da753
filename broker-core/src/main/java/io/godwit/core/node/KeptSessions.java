package io.godwit.core.node;

import io.godwit.core.id.IngressId;
import io.godwit.core.message.KnownBefore;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.publish.Qos2Receipt;
import io.godwit.core.routing.Subscription;
import io.godwit.core.session.OwedWill;
import io.godwit.core.session.Session;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.Recovery.KeptSession;
import io.godwit.core.store.Recovery.KeptSubscription;
import io.godwit.core.store.SessionRecord;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Makes sessions of what a store has kept of them, at start and when copies are adopted: each on
 * the shard of its slot.
 */
final class KeptSessions {
    /** The most filters that are looked up, so that sessions with the same one share it. */
    private static final int SHARED_FILTERS_MAX = 100_000;

    private final Map<TopicFilter, TopicFilter> filters = new HashMap<>();

    /** Makes a session that has nothing but its name and its record. */
    Session create(KeptSession kept, BrokerShard shard) {
        SessionRecord record = kept.record();
        return new Session(
                kept.clientId(),
                record.generation().clock(),
                record.queueId(),
                shard.sessionContext(),
                record.version(),
                record.expirySeconds());
    }

    /** Gives a session one of its subscriptions; the index does not have it yet. */
    Subscription subscribe(Session session, KeptSubscription kept, @Nullable KnownBefore before) {
        Subscription subscription =
                Subscription.of(
                        session,
                        shared(kept.filter()),
                        kept.qos(),
                        kept.noLocal(),
                        kept.retainAsPublished(),
                        kept.ids(),
                        before);
        session.subscriptions().recovered(subscription);
        return subscription;
    }

    private TopicFilter shared(TopicFilter filter) {
        TopicFilter known = filters.get(filter);
        if (known != null) {
            return known;
        }
        if (filters.size() < SHARED_FILTERS_MAX) {
            filters.put(filter, filter);
        }
        return filter;
    }

    /** Gives a session the PUBLISHes of QoS 2 of its client that had no PUBREL. */
    static void recoverInbound(
            Session session, KeptSession kept, BiConsumer<IngressId, Qos2Receipt> each) {
        for (Inbound inbound : kept.inbound()) {
            if (inbound.packetId != OwedWill.PACKET_ID) {
                IngressId id = new IngressId(inbound.ingressServer, inbound.ingressCounter);
                each.accept(id, session.recoverInbound(inbound));
            }
        }
    }

    /**
     * Gives a session the Wills that were being published.
     *
     * @return whether it owes any: {@link #publishWillsAgain} follows
     */
    static boolean recoverWills(Session session, KeptSession kept) {
        boolean owes = kept.record().expirySeconds() == 0 || !kept.record().owedWills().isEmpty();
        for (Inbound inbound : kept.inbound()) {
            if (inbound.packetId == OwedWill.PACKET_ID) {
                session.life().recoverWill(inbound);
                owes = true;
            }
        }
        return owes;
    }

    /** Goes on with the Wills that a session owes, unless its client was quicker. */
    static void publishWillsAgain(Session session, BrokerShard shard) {
        if (session.owner() == shard.index()) {
            session.life().publishWillAgain();
        }
    }

    /** Does what came due before a session was taken up, unless its client was quicker. */
    static void catchUp(Session session, BrokerShard shard) {
        if (session.owner() == shard.index()) {
            session.life().catchUp();
        }
    }
}
