package io.godwit.server.service;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.queue.WaitingPage;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Asks one node about its sessions, or has it do something with one.
 *
 * <pre>
 * find        1 | client id sized
 * list        2 | client id after which it begins sized, empty: from the beginning
 * disconnect  3 | client id sized | reason 1 | Will 1 | text sized
 * end         4 | client id sized
 * its filters 5 | client id sized | filter behind which they begin sized, empty: from the beginning
 * subscribe   6 | client id sized | subscription ...
 * unsubscribe 7 | client id sized | filter sized ...
 * subscribers 8 | client id behind which they begin sized, empty: from the beginning | topic
 * queue       9 | client id sized
 * messages   10 | client id sized | bytes of payloads varint | place, or nothing: from the oldest on
 * remove     11 | client id sized | place ...
 * purge      12 | client id sized | clock of the last message id that it removes 8; 0: the last of now
 * place         queue id varint | clock of the message id 8 | its server 3
 * </pre>
 */
sealed interface SessionQuestion {
    /** Asks about one client, or has something done with its session. */
    sealed interface OfClient extends SessionQuestion {
        ClientId clientId();
    }

    /** Describes a session. */
    record Find(ClientId clientId) implements OfClient {
        static final int CODE = 1;
    }

    /**
     * Describes the next sessions of the node.
     *
     * @param after the last one of those before; null: none
     */
    record ListSessions(@Nullable ClientId after) implements SessionQuestion {
        static final int CODE = 2;
    }

    /** Ends a connection. */
    record Disconnect(ClientId clientId, int reason, String text, boolean publishesWill)
            implements OfClient {
        static final int CODE = 3;
    }

    /** Ends a session. */
    record End(ClientId clientId) implements OfClient {
        static final int CODE = 4;
    }

    /**
     * Reads subscriptions of a session.
     *
     * @param after the last filter of those before; null: none
     */
    record Subscriptions(ClientId clientId, @Nullable TopicFilter after) implements OfClient {
        static final int CODE = 5;
    }

    /** Subscribes for a client. */
    record Subscribe(ClientId clientId, List<Packet.Subscription> subscriptions)
            implements OfClient {
        static final int CODE = 6;
    }

    /** Unsubscribes for a client. */
    record Unsubscribe(ClientId clientId, List<TopicFilter> filters) implements OfClient {
        static final int CODE = 7;
    }

    /**
     * Reads the subscriptions that match a topic, of the next sessions.
     *
     * @param after the last session of those before; null: none
     */
    record Subscribers(Topic topic, @Nullable ClientId after) implements SessionQuestion {
        static final int CODE = 8;
    }

    /** Counts what is in the queue of a session. */
    record Queue(ClientId clientId) implements OfClient {
        static final int CODE = 9;
    }

    /**
     * Reads what waits in the queue of a session.
     *
     * @param after the last one of those before; null: none
     */
    record Messages(ClientId clientId, int payloadBytes, WaitingPage.@Nullable Place after)
            implements OfClient {
        static final int CODE = 10;
    }

    /** Removes messages that wait in the queue of a session. */
    record Remove(ClientId clientId, List<WaitingPage.Place> places) implements OfClient {
        static final int CODE = 11;
    }

    /**
     * Removes some of all that waits in the queue of a session.
     *
     * @param upToClock that the answer before has named; 0: there is none
     */
    record Purge(ClientId clientId, long upToClock) implements OfClient {
        static final int CODE = 12;
    }

    private static byte[] bytes(@Nullable ClientId id) {
        return id == null ? new byte[0] : id.bytes();
    }

    private static @Nullable ClientId clientId(ByteReader from) {
        byte[] bytes = from.sized();
        return bytes.length == 0 ? null : new ClientId(bytes);
    }

    /** Writes it. */
    default byte[] toBytes() {
        ByteWriter to = new ByteWriter(64);
        switch (this) {
            case Find of -> to.u8(Find.CODE).sized(of.clientId.bytes());
            case ListSessions of -> to.u8(ListSessions.CODE).sized(bytes(of.after));
            case Disconnect of ->
                    to.u8(Disconnect.CODE)
                            .sized(of.clientId.bytes())
                            .u8(of.reason)
                            .u8(of.publishesWill ? 1 : 0)
                            .sized(of.text.getBytes(UTF_8));
            case End of -> to.u8(End.CODE).sized(of.clientId.bytes());
            case Subscriptions of ->
                    to.u8(Subscriptions.CODE)
                            .sized(of.clientId.bytes())
                            .sized(of.after == null ? new byte[0] : of.after.bytes());
            case Subscribe of -> {
                to.u8(Subscribe.CODE).sized(of.clientId.bytes());
                of.subscriptions.forEach(each -> SubscriptionCodec.write(each, to));
            }
            case Unsubscribe of -> {
                to.u8(Unsubscribe.CODE).sized(of.clientId.bytes());
                of.filters.forEach(each -> to.sized(each.bytes()));
            }
            case Queue of -> to.u8(Queue.CODE).sized(of.clientId.bytes());
            case Messages of -> {
                to.u8(Messages.CODE).sized(of.clientId.bytes()).varint(of.payloadBytes);
                if (of.after != null) {
                    WaitingCodec.write(of.after, to);
                }
            }
            case Remove of -> {
                to.u8(Remove.CODE).sized(of.clientId.bytes());
                of.places.forEach(each -> WaitingCodec.write(each, to));
            }
            case Purge of -> to.u8(Purge.CODE).sized(of.clientId.bytes()).long8(of.upToClock);
            case Subscribers of ->
                    to.u8(Subscribers.CODE).sized(bytes(of.after)).raw(of.topic.bytes());
        }
        return to.toBytes();
    }

    /**
     * Reads one.
     *
     * @throws IndexOutOfBoundsException it is none
     */
    static SessionQuestion read(byte[] bytes) {
        ByteReader from = new ByteReader(bytes);
        int code = from.u8();
        return switch (code) {
            case Find.CODE -> new Find(new ClientId(from.sized()));
            case ListSessions.CODE -> new ListSessions(clientId(from));
            case Disconnect.CODE -> {
                ClientId clientId = new ClientId(from.sized());
                int reason = from.u8();
                boolean publishesWill = from.u8() == 1;
                yield new Disconnect(
                        clientId, reason, new String(from.sized(), UTF_8), publishesWill);
            }
            case End.CODE -> new End(new ClientId(from.sized()));
            case Subscriptions.CODE -> {
                ClientId clientId = new ClientId(from.sized());
                byte[] after = from.sized();
                yield new Subscriptions(
                        clientId, after.length == 0 ? null : new TopicFilter(after));
            }
            case Subscribe.CODE -> {
                ClientId clientId = new ClientId(from.sized());
                List<Packet.Subscription> all = new ArrayList<>();
                while (!from.isAtEnd()) {
                    all.add(SubscriptionCodec.read(from));
                }
                yield new Subscribe(clientId, all);
            }
            case Unsubscribe.CODE -> {
                ClientId clientId = new ClientId(from.sized());
                List<TopicFilter> all = new ArrayList<>();
                while (!from.isAtEnd()) {
                    all.add(new TopicFilter(from.sized()));
                }
                yield new Unsubscribe(clientId, all);
            }
            case Queue.CODE -> new Queue(new ClientId(from.sized()));
            case Messages.CODE -> {
                ClientId clientId = new ClientId(from.sized());
                int payloadBytes = from.smallInt();
                yield new Messages(
                        clientId, payloadBytes, from.isAtEnd() ? null : WaitingCodec.place(from));
            }
            case Remove.CODE -> {
                ClientId clientId = new ClientId(from.sized());
                List<WaitingPage.Place> all = new ArrayList<>();
                while (!from.isAtEnd()) {
                    all.add(WaitingCodec.place(from));
                }
                yield new Remove(clientId, all);
            }
            case Purge.CODE -> new Purge(new ClientId(from.sized()), from.long8());
            case Subscribers.CODE -> {
                ClientId after = clientId(from);
                yield new Subscribers(new Topic(from.rest()), after);
            }
            default -> throw new IndexOutOfBoundsException("question " + code);
        };
    }
}
