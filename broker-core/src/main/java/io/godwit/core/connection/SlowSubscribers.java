package io.godwit.core.connection;

import io.godwit.core.mail.SessionMail;
import io.godwit.core.packet.ClientId;
import io.godwit.core.publish.PublisherSession;
import io.godwit.core.session.Session;
import io.godwit.core.session.SlowSubscriber;
import io.godwit.core.shard.Mail;
import io.godwit.core.shard.Shard;
import io.godwit.core.takeover.Registrar;
import io.godwit.core.takeover.Takeover;
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
public final class SlowSubscribers {
    private final Shard shard;
    private final Takeover takeover;

    /**
     * The publishers of each subscriber, each without a session until the registrar has answered.
     */
    private final Map<Outbound, Map<ClientId, @Nullable Session>> publishers = new HashMap<>();

    public SlowSubscribers(Shard shard, Takeover takeover) {
        this.shard = shard;
        this.takeover = takeover;
    }

    /** Notes that a message of this publisher waits for the subscriber. */
    void slowDown(ClientId publisher, Outbound subscriber) {
        Map<ClientId, @Nullable Session> known =
                publishers.computeIfAbsent(subscriber, key -> new LinkedHashMap<>(2));
        if (!known.containsKey(publisher)) {
            known.put(publisher, null);
            Registrar registrar = takeover.registrarOf(publisher);
            shard.send(registrar.shard(), new Find(this, registrar, publisher, subscriber));
        }
    }

    /** Lets the publishers of a subscriber go on: nothing waits for it any more, or it is gone. */
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

    private void gone(PublisherSession publisher, Outbound subscriber) {
        Map<ClientId, @Nullable Session> known = publishers.get(subscriber);
        if (known != null) {
            known.remove(publisher.clientId(), publisher);
        }
    }

    private Key key(Outbound subscriber) {
        return new Key(this, subscriber);
    }

    /** A slow subscriber as the publisher's session knows it. */
    private record Key(SlowSubscribers of, Outbound subscriber) implements SlowSubscriber {
        @Override
        public int shard() {
            return of.shard.index();
        }

        @Override
        public Mail publisherGone(PublisherSession publisher) {
            return new PublisherGone(of, publisher, subscriber);
        }
    }

    /** Asks the registrar which session has this client id. */
    private static final class Find extends Mail {
        private final SlowSubscribers from;
        private final Registrar registrar;
        private final ClientId publisher;
        private final Outbound subscriber;

        Find(SlowSubscribers from, Registrar registrar, ClientId publisher, Outbound subscriber) {
            this.from = from;
            this.registrar = registrar;
            this.publisher = publisher;
            this.subscriber = subscriber;
        }

        @Override
        protected boolean handle(Shard at, int asking) {
            at.send(asking, new Found(from, publisher, subscriber, registrar.find(publisher)));
            return true;
        }
    }

    /** The registrar's answer to {@link Find}. */
    private static final class Found extends Mail {
        private final SlowSubscribers to;
        private final ClientId publisher;
        private final Outbound subscriber;
        private final @Nullable Session session;

        Found(
                SlowSubscribers to,
                ClientId publisher,
                Outbound subscriber,
                @Nullable Session session) {
            this.to = to;
            this.publisher = publisher;
            this.subscriber = subscriber;
            this.session = session;
        }

        @Override
        protected boolean handle(Shard at, int from) {
            to.found(publisher, subscriber, session);
            return true;
        }
    }

    /** Tells the publisher's session to wait for this subscriber, or to wait for it no more. */
    private static final class Slow extends SessionMail<Session> {
        private final SlowSubscriber subscriber;
        private final boolean waits;

        Slow(Session publisher, SlowSubscriber subscriber, boolean waits) {
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

    /** Tells the subscriber's shard that a publisher's session has ended. */
    private static final class PublisherGone extends Mail {
        private final SlowSubscribers to;
        private final PublisherSession publisher;
        private final Outbound subscriber;

        PublisherGone(SlowSubscribers to, PublisherSession publisher, Outbound subscriber) {
            this.to = to;
            this.publisher = publisher;
            this.subscriber = subscriber;
        }

        @Override
        protected boolean handle(Shard at, int from) {
            to.gone(publisher, subscriber);
            return true;
        }
    }
}
