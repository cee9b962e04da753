package io.godwit.core.operation;

import java.util.ArrayList;
import java.util.List;

/**
 * A part of a record of the journal.
 *
 * <pre>
 * record   part ...
 * part     kind 1 | format 1 | length varint | envelope | body     length: of both
 * own      replica set varint | members varint | members x (server 3, stream position varint)
 * foreign  server 3 | start number varint | stream position varint
 * local    no envelope
 * </pre>
 *
 * <p><i>Own</i> holds operations of this node on queues that it leads, of one replica set, and says
 * where the part stands in the stream to each other member; <i>foreign</i> is a part of another
 * leader's stream, as received; <i>local</i> concerns no other node. A reader skips unknown kinds.
 *
 * @param server of a foreign part: whose stream it came in
 * @param start start number of that stream
 * @param position in that stream
 * @param bytes in which the body stands
 */
public record Part(
        Kind kind,
        int replicaSet,
        List<Member> members,
        int server,
        long start,
        long position,
        byte[] bytes,
        int bodyFrom,
        int bodyTo) {
    /**
     * The version of the body's encoding; it rises with every change that an older reader would
     * misread. A part says the least that it needs: so a store whose journal has nothing new opens
     * with an older Godwit, too.
     *
     * <ul>
     *   <li>3: an append may have its packet id
     *   <li>4: a range of another node's copy may be replaced
     * </ul>
     */
    public static final int FORMAT = 4;

    /** The least version in which an append has its packet id. */
    static final int FORMAT_IN_FLIGHT = 3;

    /** The least version in which a range of a copy is replaced. */
    static final int FORMAT_COPY_RANGE = 4;

    /** The oldest version that is read. */
    static final int FORMAT_LEAST = 2;

    /** The kinds of part. */
    public enum Kind {
        OWN,
        FOREIGN,
        LOCAL
    }

    /**
     * Another member of the replica set.
     *
     * @param position of the part in the stream to it
     */
    public record Member(int server, long position) {}

    private static final int OWN = 1;
    private static final int FOREIGN = 2;
    private static final int LOCAL = 3;

    /** A part of another node's stream, as it came. */
    public static Part foreign(int server, long start, long position, byte[] body) {
        return new Part(Kind.FOREIGN, 0, List.of(), server, start, position, body, 0, body.length);
    }

    /** Reads the operations. */
    public PartDecoder decode() {
        return new PartDecoder(bytes, bodyFrom, bodyTo);
    }

    /**
     * The parts of a record.
     *
     * @throws IndexOutOfBoundsException when these bytes are none
     * @throws UnknownFormat when a later version has written it
     */
    public static List<Part> of(byte[] record) {
        List<Part> parts = new ArrayList<>(2);
        ByteReader in = new ByteReader(record);
        while (!in.isAtEnd()) {
            int kind = in.u8();
            int format = in.u8();
            int length = in.size();
            int end = in.next() + length;
            if (kind >= OWN && kind <= LOCAL) {
                if (format < FORMAT_LEAST || format > FORMAT) {
                    throw new UnknownFormat(format);
                }
                parts.add(part(in, kind, end));
            }
            in.skipTo(end);
        }
        return parts;
    }

    private static Part part(ByteReader in, int kind, int end) {
        switch (kind) {
            case OWN -> {
                int set = in.smallInt();
                int count = in.size();
                List<Member> members = new ArrayList<>(count);
                for (int i = 0; i < count; i++) {
                    int server = in.server3();
                    members.add(new Member(server, in.varint()));
                }
                return new Part(Kind.OWN, set, members, 0, 0, 0, in.array(), in.next(), end);
            }
            case FOREIGN -> {
                int server = in.server3();
                long start = in.varint();
                long position = in.varint();
                return new Part(
                        Kind.FOREIGN,
                        0,
                        List.of(),
                        server,
                        start,
                        position,
                        in.array(),
                        in.next(),
                        end);
            }
            default -> {
                return new Part(Kind.LOCAL, 0, List.of(), 0, 0, 0, in.array(), in.next(), end);
            }
        }
    }

    /**
     * Writes a part of this node's own.
     *
     * @return where in {@code to} the body begins; it ends with what was written
     */
    public static int writeOwn(
            ByteWriter to, int replicaSet, List<Member> members, PartEncoder body) {
        int at = begin(to, OWN, body.format());
        to.varint(replicaSet).varint(members.size());
        for (Member each : members) {
            to.server3(each.server()).varint(each.position());
        }
        int bodyAt = to.length();
        body.writeTo(to);
        to.patch(at, 4);
        return bodyAt;
    }

    public static void writeLocal(ByteWriter to, PartEncoder body) {
        int at = begin(to, LOCAL, body.format());
        body.writeTo(to);
        to.patch(at, 4);
    }

    /** Writes a part of another node's stream. */
    public static void writeForeign(ByteWriter to, Subject.ForeignPart part) {
        int at = begin(to, FOREIGN, part.format());
        to.server3(part.server()).varint(part.start()).varint(part.position());
        to.raw(part.body());
        to.patch(at, 4);
    }

    private static int begin(ByteWriter to, int kind, int format) {
        int at = to.u8(kind).u8(format).length();
        to.reserve(4);
        return at;
    }

    /** Thrown for a part that another version has written, a later one as a rule. */
    public static final class UnknownFormat extends RuntimeException {
        private static final long serialVersionUID = 1L;

        UnknownFormat(int format) {
            super(
                    "a part of format "
                            + format
                            + "; this version reads formats "
                            + FORMAT_LEAST
                            + " to "
                            + FORMAT);
        }
    }
}
