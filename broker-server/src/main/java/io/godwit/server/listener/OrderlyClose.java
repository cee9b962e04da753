package io.godwit.server.listener;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import java.util.concurrent.TimeUnit;

/**
 * Closes a socket so that what was written before arrives. A socket that is closed while bytes of
 * the peer are unread, or still come, is reset by the kernel, and a reset may destroy the last
 * packet before the peer has read it. So: send everything, then the end of our stream, read and
 * discard for a moment, then close.
 */
final class OrderlyClose {
    /** How long a peer may take to read what was written before. */
    static final long DRAIN_MS = 5_000;

    /** How long the peer may take to close its side. */
    static final long LINGER_MS = 500;

    /** Bytes that the client may still send meanwhile. */
    static final int DISCARDED_BYTES_MAX = 1 << 20;

    private OrderlyClose() {}

    /** Call on the channel's thread, once; whoever stands in the pipeline discards what comes. */
    static void close(Channel channel) {
        ChannelOutboundBuffer pending = channel.unsafe().outboundBuffer();
        if (pending == null) {
            return;
        }
        channel.unsafe().flush();
        if (pending.isEmpty()) {
            endOutput(channel);
            return;
        }
        ChannelPromise sent = channel.newPromise();
        channel.unsafe().write(Unpooled.EMPTY_BUFFER, sent);
        channel.unsafe().flush();
        sent.addListener(done -> {
            if (done.isSuccess()) {
                endOutput(channel);
            }
        });
        closeAfter(channel, DRAIN_MS);
    }

    private static void endOutput(Channel channel) {
        if (!channel.isActive()) {
            return;
        }
        ((DuplexChannel) channel).shutdownOutput();
        channel.config().setAutoRead(true); // else the end of the peer's stream is never seen
        closeAfter(channel, LINGER_MS);
    }

    private static void closeAfter(Channel channel, long delayMs) {
        channel.eventLoop().schedule(() -> now(channel), delayMs, TimeUnit.MILLISECONDS);
    }

    /** Closes at once, past all handlers; what was not sent is lost. */
    static void now(Channel channel) {
        channel.unsafe().close(channel.voidPromise());
    }
}
