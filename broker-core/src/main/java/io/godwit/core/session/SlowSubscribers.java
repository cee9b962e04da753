package io.godwit.core.session;

import io.godwit.core.mail.SessionMail;
import io.godwit.core.packet.ClientId;
import io.godwit.core.shard.Mail;
import io.godwit.core.shard.Shard;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The subscribers of one shard that read too slowly while {@code overload.qos0-soft-limit} is 0,
 * and the publishers that wait for them. A message names its publisher by client id only, so the
 * registrar of that id is asked once for the session behind it. A session that ends says so: the
 * next one of the same client id is slowed by its own first message.
 */
final class SlowSubscribers {
    private final SessionShard shard;

    /** By subscriber: its publishers, each without a session until the registrar has answered. */
    private final Map<Outbound, Map<ClientId, @Nullable Session>> publishers = new HashMap<>();

    SlowSubscribers(SessionShard shard) {
        this.shard = shard;
    }

    /** A message of this publisher waits for the subscriber. */
    void slowDown(ClientId publisher, Outbound subscriber) {
        Map<ClientId, @Nullable Session> known =
                publishers.computeIfAbsent(subscriber, key -> new LinkedHashMap<>(2));
        if (!known.containsKey(publisher)) {
            known.put(publisher, null);
            shard.toRegistrar(publisher, new Find(publisher, subscriber, shard.index()));
        }
    }

    /** Nothing waits for the subscriber any more, or it is gone. */
    void speedUp(Outbound subscriber) {
        Map<ClientId, @Nullable Session> known = publishers.remove(subscriber);
        if (known != null) {
            for (Session publisher : known.values()) {
                if (publisher != null) {
                    shard.send(publisher.owner(), new Slow(publisher, key(subscriber), false));
                }
            }
        }
    }

    private void found(ClientId publisher, Outbound subscriber, @Nullable Session session) {
        Map<ClientId, @Nullable Session> known = publishers.get(subscriber);
        if (known == null || !known.containsKey(publisher) || known.get(publisher) != null) {
            return;
        }
        if (session == null) {
            known.remove(publisher);
        } else {
            known.put(publisher, session);
            shard.send(session.owner(), new Slow(session, key(subscriber), true));
        }
    }

    private void gone(Session publisher, Outbound subscriber) {
        Map<ClientId, @Nullable Session> known = publishers.get(subscriber);
        if (known != null) {
            known.remove(publisher.clientId(), publisher);
        }
    }

    private Key key(Outbound subscriber) {
        return new Key(shard.index(), subscriber);
    }

    /** A slow subscriber as the publisher's session knows it. */
    record Key(int shard, Outbound subscriber) {}

    /** To the registrar: which session has this client id? */
    private static final class Find extends Mail {
        private final ClientId publisher;
        private final Outbound subscriber;
        private final int replyTo;

        Find(ClientId publisher, Outbound subscriber, int replyTo) {
            this.publisher = publisher;
            this.subscriber = subscriber;
            this.replyTo = replyTo;
        }

        @Override
        protected boolean handle(Shard shard, int from) {
            SessionShard at = (SessionShard) shard;
            at.send(replyTo, new Found(publisher, subscriber, at.registrar().find(publisher)));
            return true;
        }
    }

    /** From the registrar. */
    private static final class Found extends Mail {
        private final ClientId publisher;
        private final Outbound subscriber;
        private final @Nullable Session session;

        Found(ClientId publisher, Outbound subscriber, @Nullable Session session) {
            this.publisher = publisher;
            this.subscriber = subscriber;
            this.session = session;
        }

        @Override
        protected boolean handle(Shard at, int from) {
            ((SessionShard) at).brake().slowSubscribers().found(publisher, subscriber, session);
            return true;
        }
    }

    /** To the publisher: wait for this subscriber, or wait for it no more. */
    private static final class Slow extends SessionMail<Session> {
        private final Key subscriber;
        private final boolean waits;

        Slow(Session publisher, Key subscriber, boolean waits) {
            super(publisher);
            this.subscriber = subscriber;
            this.waits = waits;
        }

        @Override
        public boolean deliver(Shard at) {
            session.slowSubscriber(subscriber, waits);
            return true;
        }
    }

    /** From the publisher: its session has ended. */
    static final class PublisherGone extends Mail {
        private final Session publisher;
        private final Outbound subscriber;

        PublisherGone(Session publisher, Key subscriber) {
            this.publisher = publisher;
            this.subscriber = subscriber.subscriber();
        }

        @Override
        protected boolean handle(Shard at, int from) {
            ((SessionShard) at).brake().slowSubscribers().gone(publisher, subscriber);
            return true;
        }
    }
}
