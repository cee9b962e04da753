package io.godwit.cluster.transport;

/**
 * What stands in frames.
 *
 * <pre>
 * hello    1 | see HelloFrame
 * refused  2 | see HelloFrame
 * data     3 | name of the link | number of the frame varint | highest number heard varint | clock 8
 *            | monotonic milliseconds 8
 *            | for each class: position received varint, credit varint
 *            | item ...
 * item     code varint | length varint | body
 *
 * item codes below 16:
 *  1 CLASS        class 1, its ordinal: what follows belongs to it
 *  2 FIRST_PIECE  code of the message varint | its length varint | bytes
 *  3 NEXT_PIECE   bytes
 * </pre>
 *
 * Positions count whole messages of a class and link from 1. Credit counts bytes of bodies from the
 * link's beginning: as long as less than that was sent, another message may begin.
 */
final class Frame {
    static final int HELLO = 1;
    static final int REFUSED = 2;
    static final int DATA = 3;

    static final int CLASS = 1;
    static final int FIRST_PIECE = 2;
    static final int NEXT_PIECE = 3;

    /**
     * A message above this is cut where the frame is full; a smaller one waits for the next. What a
     * stream sends at once is below, unless its messages are large: pieces are copied twice more at
     * both ends.
     */
    static final int CUT_BYTES = 40 * 1024;

    /** What an item takes besides its body, at most. */
    static final int ITEM_BYTES = 16;

    /** A message is no longer than this: what claims to be was not written by a Godwit. */
    static final int MESSAGE_MAX = 512 << 20;

    private Frame() {}

    static int kind(byte[] frame, int offset, int length) {
        return length == 0 ? 0 : frame[offset];
    }
}
