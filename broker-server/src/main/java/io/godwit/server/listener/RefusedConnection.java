package io.godwit.server.listener;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * Stands in for {@link ChannelWire} on a connection beyond the limit: reads the beginning of
 * CONNECT to learn the version, answers with a CONNACK in that version and closes. The core never
 * sees it.
 */
final class RefusedConnection extends ChannelInboundHandlerAdapter {
    private static final long TIMEOUT_MS = 2_000;

    /** Fixed header of at most 5 bytes, name with its length of at most 8, level. */
    private static final int HEAD_BYTES_MAX = 14;

    /** CONNACK of 5.0: no session, 0x97 Quota exceeded, no properties. */
    private static final byte[] QUOTA_EXCEEDED = {0x20, 3, 0, (byte) 0x97, 0};

    /** CONNACK of 5.0 with 0x9F Connection rate exceeded. */
    private static final byte[] RATE_EXCEEDED = {0x20, 3, 0, (byte) 0x9F, 0};

    /** CONNACK of 3.1 and 3.1.1: 3 Server unavailable. */
    private static final byte[] CONNACK_3 = {0x20, 2, 0, 3};

    private static final byte[] NAME = "MQTT".getBytes(StandardCharsets.US_ASCII);

    private final ListenerShard home;
    private final Admission.Verdict verdict;
    private final byte[] head = new byte[HEAD_BYTES_MAX];
    private int headBytes;
    private boolean answered;

    /**
     * @param verdict why it is refused
     */
    RefusedConnection(ListenerShard home, Admission.Verdict verdict) {
        this.home = home;
        this.verdict = verdict;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        ctx.executor()
                .schedule(() -> OrderlyClose.now(ctx.channel()), TIMEOUT_MS, TimeUnit.MILLISECONDS);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        home.admission().release(verdict);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = (ByteBuf) message;
        try {
            if (answered) {
                return;
            }
            int count = Math.min(in.readableBytes(), HEAD_BYTES_MAX - headBytes);
            in.readBytes(head, headBytes, count);
            headBytes += count;
            answer(ctx);
        } finally {
            in.release();
        }
    }

    private void answer(ChannelHandlerContext ctx) {
        if (head[0] != 0x10) {
            answered = true;
            OrderlyClose.now(ctx.channel());
            return;
        }
        int at = 1;
        while (at < headBytes && at < 4 && head[at] < 0) {
            at++; // a byte of Remaining Length that is not the last
        }
        at++;
        if (headBytes < at + 2) {
            return;
        }
        int nameBytes = (head[at] & 0xFF) << 8 | head[at + 1] & 0xFF;
        int level = at + 2 + nameBytes;
        if (nameBytes <= 6 && level >= headBytes && level < HEAD_BYTES_MAX) {
            return; // the rest is on its way
        }
        answered = true;
        boolean is5 =
                nameBytes == NAME.length
                        && Arrays.equals(head, at + 2, level, NAME, 0, NAME.length)
                        && head[level] == 5;
        byte[] v5 = verdict == Admission.Verdict.TOO_MANY_AT_ONCE ? RATE_EXCEEDED : QUOTA_EXCEEDED;
        ctx.writeAndFlush(Unpooled.wrappedBuffer(is5 ? v5 : CONNACK_3));
        if (home.plain()) {
            OrderlyClose.close(ctx.channel());
        } else {
            ctx.close();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        OrderlyClose.now(ctx.channel());
    }
}
