package io.godwit.core.session;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.message.CameBefore;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.operation.Ids;
import io.godwit.core.operation.SessionCodec;
import io.godwit.core.operation.SubscriptionOptions;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.session.SessionHeader.Received;
import io.godwit.core.session.SessionHeader.Sent;
import io.godwit.core.store.KeptIngress;
import io.godwit.core.store.Recovery.KeptSubscription;
import io.godwit.core.store.SessionRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Encodes a session's header for its way to another node. Sections have codes that are given once,
 * and a length: a node skips those that it does not know, so that a later version can say more.
 *
 * <pre>
 * section  code 1 | length varint | fields
 *
 * 1 session        client id sized | queue id 8 | last message id's clock varint | record
 * 2 subscriptions  n varint | n x (filter sized | options 1 | ids)
 * 3 in flight      n varint | n x (message id 11 | packet id varint | flags 1)
 *                  flags: QoS 2 0 | released 1
 * 4 received       n varint | n x (packet id varint | ingress id | taken 1)
 * 5 remembered     n varint | n x (message id 11 | ingress id)
 * 6 pages          nothing above this message id is in flight 11
 * 7 taken          see TakenIds; left out when there are none
 * 8 since          n varint | n x (filter sized | grant's number varint); left out when there are none
 * 9 sent before    n varint | n x (filter sized | see SubscriptionOptions); left out when there are
 *                  none, or many
 * </pre>
 */
public final class HeaderCodec {
    private static final int SESSION = 1;
    private static final int SUBSCRIPTIONS = 2;
    private static final int IN_FLIGHT = 3;
    private static final int RECEIVED = 4;
    private static final int REMEMBERED = 5;
    private static final int PAGES = 6;
    private static final int TAKEN = 7;
    private static final int SINCE = 8;
    private static final int SENT_BEFORE = 9;

    /** Streams of all filters: some 20 KB. */
    private static final int SENT_MAX = 2_000;

    private static final int QOS2 = 1;
    private static final int RELEASED = 1 << 1;

    private HeaderCodec() {}

    // ---------------------------------------------------------------- writing

    public static byte[] write(SessionHeader header) {
        ByteWriter to = new ByteWriter(256);
        ByteWriter section = new ByteWriter(256);
        SessionRecord record = header.record();
        section.sized(header.clientId().bytes()).long8(record.queueId()).varint(header.lastId());
        SessionCodec.write(section, record);
        end(to, SESSION, section);
        section.varint(header.subscriptions().size());
        for (KeptSubscription each : header.subscriptions()) {
            section.sized(each.filter().bytes())
                    .u8(
                            SubscriptionOptions.of(
                                    each.qos(), each.noLocal(), each.retainAsPublished()))
                    .ints(each.ids());
        }
        end(to, SUBSCRIPTIONS, section);
        section.varint(header.inFlight().size());
        for (Sent each : header.inFlight()) {
            Ids.hybrid(section, new HybridId(each.messageId(), each.server()));
            section.varint(each.packetId())
                    .u8((each.qos() == 2 ? QOS2 : 0) | (each.isReleased() ? RELEASED : 0));
        }
        end(to, IN_FLIGHT, section);
        section.varint(header.received().size());
        for (Received each : header.received()) {
            section.varint(each.packetId());
            Ids.ingress(section, each.ingressServer(), each.ingressCounter());
            section.u8(each.isTaken() ? 1 : 0);
        }
        end(to, RECEIVED, section);
        section.varint(header.remembered().size());
        for (KeptIngress each : header.remembered()) {
            Ids.hybrid(section, each.id());
            Ids.ingress(section, each.ingress().server(), each.ingress().counter());
        }
        end(to, REMEMBERED, section);
        Ids.hybrid(section, header.inFlightUpTo());
        end(to, PAGES, section);
        if (!header.taken().isEmpty()) {
            TakenIds.write(section, header.taken());
            end(to, TAKEN, section);
        }
        List<KeptSubscription> since =
                header.subscriptions().stream().filter(each -> each.since() != 0).toList();
        if (!since.isEmpty()) {
            section.varint(since.size());
            for (KeptSubscription each : since) {
                section.sized(each.filter().bytes()).varint(each.since());
            }
            end(to, SINCE, section);
        }
        writeSent(section, header.subscriptions());
        if (section.length() > 0) {
            end(to, SENT_BEFORE, section);
        }
        return to.toBytes();
    }

    private static void writeSent(ByteWriter section, List<KeptSubscription> all) {
        Map<TopicFilter, CameBefore> sent = new LinkedHashMap<>(0);
        int streams = 0;
        for (KeptSubscription each : all) {
            CameBefore before = each.before() == null ? null : each.before().sent();
            if (before != null) {
                sent.put(each.filter(), before);
                streams += before.size();
            }
        }
        if (streams == 0 || streams > SENT_MAX) {
            return;
        }
        section.varint(sent.size());
        sent.forEach((filter, before) -> {
            section.sized(filter.bytes());
            SubscriptionOptions.write(section, before);
        });
    }

    private static void end(ByteWriter to, int code, ByteWriter section) {
        to.u8(code).sized(section.toBytes());
        section.clear();
    }

    // ---------------------------------------------------------------- reading

    /**
     * @throws IndexOutOfBoundsException when these bytes are none
     */
    public static SessionHeader read(byte[] bytes) {
        ByteReader from = new ByteReader(bytes);
        ClientId clientId = null;
        SessionRecord record = null;
        long lastId = 0;
        List<KeptSubscription> subscriptions = new ArrayList<>();
        List<Sent> inFlight = new ArrayList<>();
        List<Received> received = new ArrayList<>();
        List<KeptIngress> remembered = new ArrayList<>();
        HybridId inFlightUpTo = HybridId.NONE;
        List<IngressId> taken = List.of();
        Map<TopicFilter, Long> since = new HashMap<>(0);
        Map<TopicFilter, CameBefore> sent = new HashMap<>(0);
        while (!from.isAtEnd()) {
            int code = from.u8();
            ByteReader section = new ByteReader(from.sized());
            switch (code) {
                case SESSION -> {
                    clientId = new ClientId(section.sized());
                    long queueId = section.long8();
                    lastId = section.varint();
                    record = SessionCodec.read(section, queueId);
                }
                case SUBSCRIPTIONS -> subscriptions(section, subscriptions);
                case IN_FLIGHT -> inFlight(section, inFlight);
                case RECEIVED -> received(section, received);
                case REMEMBERED -> remembered(section, remembered);
                case PAGES -> inFlightUpTo = Ids.hybrid(section);
                case TAKEN -> taken = TakenIds.read(section);
                case SINCE -> since(section, since);
                case SENT_BEFORE -> sent(section, sent);
                default -> {
                    // Of a later version.
                }
            }
        }
        if (clientId == null || record == null) {
            throw new IndexOutOfBoundsException("a header without its session");
        }
        return new SessionHeader(
                clientId,
                record,
                with(since, sent, subscriptions),
                inFlight,
                received,
                remembered,
                lastId,
                inFlightUpTo,
                taken);
    }

    private static void subscriptions(ByteReader from, List<KeptSubscription> to) {
        for (int left = from.size(); left > 0; left--) {
            TopicFilter filter = new TopicFilter(from.sized());
            int options = from.u8();
            to.add(
                    new KeptSubscription(
                            filter,
                            SubscriptionOptions.qos(options),
                            SubscriptionOptions.noLocal(options),
                            SubscriptionOptions.retainAsPublished(options),
                            from.ints(),
                            0));
        }
    }

    private static void inFlight(ByteReader from, List<Sent> to) {
        for (int left = from.size(); left > 0; left--) {
            HybridId id = Ids.hybrid(from);
            int packetId = from.smallInt();
            int flags = from.u8();
            to.add(
                    new Sent(
                            id.clock(),
                            id.server(),
                            packetId,
                            (flags & QOS2) == 0 ? 1 : 2,
                            (flags & RELEASED) != 0));
        }
    }

    private static void received(ByteReader from, List<Received> to) {
        for (int left = from.size(); left > 0; left--) {
            int packetId = from.smallInt();
            IngressId ingress = Ids.ingress(from);
            to.add(new Received(packetId, ingress.server(), ingress.counter(), from.u8() != 0));
        }
    }

    private static void remembered(ByteReader from, List<KeptIngress> to) {
        for (int left = from.size(); left > 0; left--) {
            HybridId id = Ids.hybrid(from);
            to.add(new KeptIngress(id, Ids.ingress(from)));
        }
    }

    private static void since(ByteReader from, Map<TopicFilter, Long> to) {
        for (int left = from.size(); left > 0; left--) {
            to.put(new TopicFilter(from.sized()), from.varint());
        }
    }

    private static void sent(ByteReader from, Map<TopicFilter, CameBefore> to) {
        for (int left = from.size(); left > 0; left--) {
            TopicFilter filter = new TopicFilter(from.sized());
            CameBefore before = SubscriptionOptions.before(from);
            if (before != null) {
                to.put(filter, before);
            }
        }
    }

    private static List<KeptSubscription> with(
            Map<TopicFilter, Long> since,
            Map<TopicFilter, CameBefore> sent,
            List<KeptSubscription> all) {
        if (since.isEmpty() && sent.isEmpty()) {
            return all;
        }
        return all.stream()
                .map(each ->
                        each.had(since.getOrDefault(each.filter(), 0L), sent.get(each.filter())))
                .toList();
    }
}
