package io.godwit.cluster.transport;

import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import java.util.List;

/**
 * What opens a link; sent until both sides are open.
 *
 * <pre>
 * hello    1 | server 3 | start varint | link varint | phase 1
 *          | server 3, start varint and link varint of the peer as known so far, 0 0 0: not known
 *          | last link that brought anything, the peer's number varint, 0: none | its positions received, 3 varints
 *          | card sized
 *          | position received of class CONNECTIONS varint; missing when it is 0
 * </pre>
 *
 * What the node says of itself, its card, is {@link Admission}'s. This layout and the beginning of
 * the card stay as they are in all versions, so that a refusal can say why.
 *
 * @param link the sender's number of the link that it wants to open
 * @param echo the peer's name as the sender has seen it
 * @param former what the sender has received by the last link between the two that brought anything
 */
record HelloFrame(
        NodeStart from,
        long link,
        Handshake.Phase phase,
        NodeStart echo,
        long echoLink,
        Resumed former,
        byte[] card) {
    static final NodeStart NOBODY = new NodeStart(0, 0);
    private static final List<Handshake.Phase> PHASES = List.of(Handshake.Phase.values());

    byte[] toBytes() {
        ByteWriter to = new ByteWriter(64 + card.length);
        to.u8(Frame.HELLO);
        to.server3(from.server()).varint(from.start()).varint(link).u8(phase.ordinal());
        to.server3(echo.server()).varint(echo.start()).varint(echoLink);
        to.varint(former.link());
        to.varint(former.publishes()).varint(former.appends()).varint(former.control());
        to.sized(card);
        if (former.connections() > 0) {
            to.varint(former.connections());
        }
        return to.toBytes();
    }

    /**
     * @throws IndexOutOfBoundsException when it is not a hello
     */
    static HelloFrame read(byte[] frame, int offset, int length) {
        ByteReader in = new ByteReader(frame, offset + 1, offset + length);
        NodeStart from = new NodeStart(in.server3(), in.varint());
        long link = in.varint();
        Handshake.Phase phase = PHASES.get(in.u8());
        NodeStart echo = new NodeStart(in.server3(), in.varint());
        long echoLink = in.varint();
        long formerLink = in.varint();
        long publishes = in.varint();
        long appends = in.varint();
        long control = in.varint();
        byte[] card = in.sized();
        long connections = in.isAtEnd() ? 0 : in.varint();
        Resumed former = new Resumed(formerLink, publishes, appends, control, connections);
        return new HelloFrame(from, link, phase, echo, echoLink, former, card);
    }
}
