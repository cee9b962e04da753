package io.godwit.cluster.replication;

import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.store.CopySets;
import java.util.ArrayList;
import java.util.List;

/**
 * The in-sync set of one copy set under one version: the nodes that acknowledgements of its queues
 * wait for. A higher version replaces all lower ones.
 *
 * @param leader server id of the node that leads the queues, and has made the record
 * @param copySet see {@link CopySets}
 * @param incarnation start number of the leader when it made the record
 * @param change number of the change among all that this start has made, from 1; copy sets that
 *     change together share one
 * @param whole server ids of the followers whose copies have everything, rising
 * @param filling server ids of the followers that are being filled, rising: they confirm what is
 *     new, and lack some of what is older
 * @param takenBy server id of the follower that takes the copy set over: what the leader makes
 *     later counts no more. The follower has made this version, or the leader, which gives the set
 *     to it; 0: nobody
 * @param givenUp the version by which the copy set was taken over last for good, as the leader
 *     knows: it has given up the queues that it had then
 */
public record CopyRecord(
        int leader,
        int copySet,
        long incarnation,
        long change,
        List<Integer> whole,
        List<Integer> filling,
        int takenBy,
        Version givenUp) {
    static final int NOBODY = 0;

    /**
     * The version of a record.
     *
     * @param incarnation start number of the leader
     * @param change see {@link CopyRecord}
     */
    public record Version(long incarnation, long change) {
        static final Version NONE = new Version(0, 0);

        boolean isAtLeast(Version other) {
            return incarnation > other.incarnation
                    || incarnation == other.incarnation && change >= other.change;
        }
    }

    private static final int SERVER_BYTES = 3;
    private static final int OTHER_BYTES = 53;

    /** Makes a record of a copy set that nobody takes over. */
    public CopyRecord(
            int leader,
            int copySet,
            long incarnation,
            long change,
            List<Integer> whole,
            List<Integer> filling) {
        this(leader, copySet, incarnation, change, whole, filling, NOBODY, Version.NONE);
    }

    public CopyRecord {
        whole = List.copyOf(whole);
        filling = List.copyOf(filling);
    }

    /**
     * Whether its version is higher than that of another record of the copy set. Of two with the
     * same change, of which one says that the set is taken over, the other one is higher.
     */
    boolean isAbove(CopyRecord other) {
        if (incarnation != other.incarnation) {
            return incarnation > other.incarnation;
        }
        return change > other.change || change == other.change && !isTaken() && other.isTaken();
    }

    /** Whether a follower takes the copy set over. */
    boolean isTaken() {
        return takenBy != NOBODY;
    }

    /** Returns the next version, by which a follower takes the copy set over. */
    CopyRecord taken(int by) {
        return new CopyRecord(
                leader, copySet, incarnation, change + 1, whole, filling, by, givenUp);
    }

    /**
     * Returns the next version, by which a take-over that was accepted is final: nobody has a copy
     * of the leader's queues any more. It counts until the leader has given them up.
     */
    CopyRecord decided() {
        return new CopyRecord(
                leader, copySet, incarnation, change + 1, List.of(), List.of(), takenBy, givenUp);
    }

    /** Whether a take-over of it is final. */
    boolean isDecided() {
        return isTaken() && whole.isEmpty() && filling.isEmpty();
    }

    /** Whether its leader knows of the take-over that another record has decided. */
    boolean isBehind(CopyRecord decided) {
        return givenUp.isAtLeast(decided.version());
    }

    Version version() {
        return new Version(incarnation, change);
    }

    /** Returns the next version, by which nothing comes of a take-over. */
    CopyRecord withdrawn() {
        return new CopyRecord(
                leader, copySet, incarnation, change + 1, whole, filling, NOBODY, givenUp);
    }

    /**
     * Returns the version that takes its place when a take-over has ended. It calls the node whole
     * that has taken the set over: until the leader makes another record that node has to confirm
     * what the leader acknowledges of slots that it gets again. Whatever the leader makes later is
     * above it.
     */
    CopyRecord released() {
        return new CopyRecord(
                leader, copySet, incarnation, change, List.of(takenBy), List.of(), NOBODY, givenUp);
    }

    /** Returns the most bytes that it has when written. */
    int bytes() {
        return OTHER_BYTES + SERVER_BYTES * (whole.size() + filling.size());
    }

    /**
     * Writes {@code leader 3 | copy set 1 | incarnation varint | change varint | whole | filling |
     * taken by 3 | given up: incarnation varint, change varint}, the servers as {@code n varint | n
     * x server 3}.
     */
    void write(ByteWriter to) {
        to.server3(leader).u8(copySet).varint(incarnation).varint(change);
        writeServers(to, whole);
        writeServers(to, filling);
        to.server3(takenBy).varint(givenUp.incarnation).varint(givenUp.change);
    }

    private static void writeServers(ByteWriter to, List<Integer> servers) {
        to.varint(servers.size());
        servers.forEach(to::server3);
    }

    /**
     * Reads a record as {@link #write} has written it.
     *
     * @throws IndexOutOfBoundsException when it is none
     */
    static CopyRecord read(ByteReader from) {
        int leader = from.server3();
        int copySet = from.u8();
        if (copySet == CopySets.NONE || copySet > CopySets.LAST) {
            throw new IndexOutOfBoundsException("no copy set " + copySet);
        }
        return new CopyRecord(
                leader,
                copySet,
                from.varint(),
                from.varint(),
                readServers(from),
                readServers(from),
                from.server3(),
                new Version(from.varint(), from.varint()));
    }

    private static List<Integer> readServers(ByteReader from) {
        int size = from.size();
        List<Integer> servers = new ArrayList<>(size);
        for (int left = size; left > 0; left--) {
            servers.add(from.server3());
        }
        return servers;
    }

    /** Writes {@code n varint | n x record}. */
    static void writeAll(ByteWriter to, List<CopyRecord> records) {
        to.varint(records.size());
        records.forEach(each -> each.write(to));
    }

    /** Reads records as {@link #writeAll} has written them. */
    static List<CopyRecord> readAll(ByteReader from) {
        int size = from.size();
        List<CopyRecord> records = new ArrayList<>(size);
        for (int left = size; left > 0; left--) {
            records.add(read(from));
        }
        return records;
    }

    /** Returns the most bytes that records have when written. */
    static int bytes(List<CopyRecord> records) {
        return OTHER_BYTES + records.stream().mapToInt(CopyRecord::bytes).sum();
    }
}
