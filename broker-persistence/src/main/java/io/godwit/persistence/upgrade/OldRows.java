package io.godwit.persistence.upgrade;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.message.Coverage;
import io.godwit.core.message.Message;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.SubscriptionOptions;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.store.SessionRecord;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.codec.StoredRow;
import io.godwit.persistence.disk.Cursor;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.DiskView;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.inspect.StoreExport;
import io.godwit.persistence.inspect.StoreItem;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Takes everything out of the database of a store of format 1. */
final class OldRows {
    private final DiskView disk;
    private final StoreExport.Target to;
    private final OldLoans loans;
    private final Set<Long> owners = new HashSet<>();
    private long remembered;

    /** Groups whose loans were told. */
    private final Set<Long> lenders = new HashSet<>();

    /**
     * @param loans is filled
     */
    OldRows(DiskView disk, StoreExport.Target to, OldLoans loans) {
        this.disk = disk;
        this.to = to;
        this.loans = loans;
    }

    private interface Record {
        void take(byte[] key, byte[] value) throws IOException, DiskFailure;
    }

    private void each(Family family, @Nullable Character letter, Record record)
            throws IOException, DiskFailure {
        byte[] from = letter == null ? new byte[0] : new byte[] {(byte) letter.charValue()};
        byte[] end = letter == null ? null : new byte[] {(byte) (letter + 1)};
        try (Cursor cursor = disk.scan(family, from, end)) {
            while (cursor.next()) {
                record.take(cursor.key(), cursor.value());
            }
        }
    }

    void run() throws IOException, DiskFailure {
        byte[] ids = disk.get(Family.META, Keys.IDS);
        byte[] clock = disk.get(Family.META, Keys.CLOCK);
        ByteReader in = ids == null ? null : new ByteReader(ids);
        long ceiling = clock == null ? 0 : Keys.longAt(clock, 0);
        to.item(
                new StoreItem.Floors(
                        in == null ? 0 : in.varint(), ceiling, in == null ? 0 : in.varint()));
        each(Family.META, 'S', this::session);
        each(
                Family.META,
                'G',
                (key, value) -> {
                    long queueId = Keys.longAt(key, 1);
                    owners.add(queueId);
                    to.item(new StoreItem.Group(queueId, 0, new TopicFilter(value)));
                });
        each(Family.META, 'B', this::subscription);
        each(Family.META, 'I', this::inbound);
        each(Family.PAYLOADS, null, (key, value) -> to.item(new StoreItem.Payload(message(value))));
        each(Family.QUEUES, null, this::loan);
        each(Family.QUEUES, null, this::row);
        for (Long queueId : owners) {
            coverage(queueId, ceiling);
        }
        each(
                Family.RETAINED,
                null,
                // Before every one that is stamped from now on.
                (key, value) -> to.item(new StoreItem.Retained(HybridId.NONE, message(value))));
    }

    private static Message message(byte[] value) {
        return OldFormat.message(new ByteReader(value));
    }

    private void session(byte[] key, byte[] value) throws IOException, DiskFailure {
        long queueId = Keys.longAt(key, 1);
        owners.add(queueId);
        ByteReader in = new ByteReader(value);
        ClientId clientId = new ClientId(in.sized());
        SessionRecord session = OldFormat.session(in, queueId);
        loans.session(queueId, session.generation());
        to.item(new StoreItem.Session(clientId, session));
    }

    private void subscription(byte[] key, byte[] value) throws IOException, DiskFailure {
        long queueId = Keys.longAt(key, 1);
        if (!owners.contains(queueId)) {
            return; // of what was being purged
        }
        ByteReader in = new ByteReader(value);
        int options = in.u8();
        to.item(
                new StoreItem.Subscription(
                        queueId,
                        new TopicFilter(Arrays.copyOfRange(key, 9, key.length)),
                        SubscriptionOptions.qos(options),
                        SubscriptionOptions.noLocal(options),
                        SubscriptionOptions.retainAsPublished(options),
                        in.ints(),
                        HybridId.NONE));
    }

    private void inbound(byte[] key, byte[] value) throws IOException, DiskFailure {
        long queueId = Keys.longAt(key, 1);
        if (!owners.contains(queueId)) {
            return;
        }
        ByteReader in = new ByteReader(value);
        long counter = in.varint();
        boolean taken = in.u8() != 0;
        IngressId ingress = new IngressId(OldFormat.server(queueId), counter);
        while (!in.isAtEnd()) {
            has(in.long8(), ingress);
        }
        to.item(
                new StoreItem.InboundPublish(
                        queueId, (key[9] & 0xFF) << 8 | key[10] & 0xFF, ingress, taken));
    }

    /** Which of its messages that was is not known: an id below all others stands for it. */
    private void has(long queueId, IngressId ingress) throws IOException, DiskFailure {
        if (queueId == 0 || owners.contains(queueId)) {
            HybridId id = new HybridId(++remembered, ingress.server());
            to.item(new StoreItem.Remembered(queueId, id, ingress));
        }
    }

    private void loan(byte[] key, byte[] value) throws DiskFailure {
        long queueId = Keys.rowQueue(key);
        if (owners.contains(queueId) && key[8] == Keys.IN_FLIGHT && OldFormat.isLoan(value)) {
            OldLoans.Loan loan = OldFormat.loan(queueId, Keys.rowClock(key), value);
            if (hasEntry(loan)) {
                loans.put(loan);
            }
        }
    }

    private boolean hasEntry(OldLoans.Loan loan) throws DiskFailure {
        HybridId id = OldFormat.id(loan.group(), loan.clock());
        byte[] key = Keys.row(loan.group(), Keys.IDLE, id.clock(), id.server());
        return owners.contains(loan.group()) && disk.get(Family.QUEUES, key) != null;
    }

    private void row(byte[] key, byte[] value) throws IOException, DiskFailure {
        long queueId = Keys.rowQueue(key);
        if (!owners.contains(queueId)) {
            return;
        }
        if (lenders.add(queueId)) {
            for (OldLoans.Loan loan : loans.of(queueId)) {
                to.item(inFlightTo(loan));
            }
        }
        boolean isInFlight = key[8] == Keys.IN_FLIGHT;
        if (!isInFlight || !OldFormat.isLoan(value)) {
            to.item(OldFormat.row(queueId, Keys.rowClock(key), !isInFlight, value));
            return;
        }
        OldLoans.Loan loan = OldFormat.loan(queueId, Keys.rowClock(key), value);
        if (!hasEntry(loan)) {
            // Its group has let go of it, so PUBREC came.
            to.item(
                    new StoreItem.Marker(
                            queueId,
                            OldFormat.id(queueId, loan.clock()),
                            StoredRow.GOT,
                            loan.packetId(),
                            null,
                            new IngressId(0, 0)));
        }
    }

    private StoreItem inFlightTo(OldLoans.Loan loan) {
        return new StoreItem.Marker(
                loan.group(),
                OldFormat.id(loan.group(), loan.clock()),
                StoredRow.TO_MEMBER,
                loan.packetId(),
                loans.receiver(loan),
                new IngressId(0, 0));
    }

    /**
     * Nobody else had a copy: whatever this node gave up to now is here, or is gone; also of a
     * queue that never had a row.
     */
    private void coverage(long queueId, long ceiling) throws IOException, DiskFailure {
        Coverage all = new Coverage();
        all.add(OldFormat.server(queueId), 0, ceiling);
        to.item(new StoreItem.Covered(queueId, all));
    }
}
