package io.godwit.server.listener;

import io.godwit.server.loop.ShardEventLoop;
import io.netty.channel.Channel;
import java.util.ArrayDeque;

/**
 * Lets few TLS handshakes begin in one turn of a shard: each costs about a millisecond, and when
 * thousands of clients come back at once those who are connected are not to notice. Bounded by the
 * connections that are admitted.
 */
final class HandshakeGate implements Runnable {
    private static final int PER_TURN = 4;

    private final ShardEventLoop loop;
    private final ArrayDeque<Channel> waiting = new ArrayDeque<>();
    private boolean scheduled;

    HandshakeGate(ShardEventLoop loop) {
        this.loop = loop;
    }

    /** On the shard's thread; the channel is not read until its turn has come. */
    void enter(Channel channel) {
        waiting.add(channel);
        if (!scheduled) {
            scheduled = true;
            inNextTurn();
        }
    }

    @Override
    public void run() {
        for (int i = 0; i < PER_TURN && !waiting.isEmpty(); i++) {
            waiting.remove().config().setAutoRead(true);
        }
        scheduled = !waiting.isEmpty();
        if (scheduled) {
            inNextTurn();
        }
    }

    /** A task that a task asks for would still run in this one. */
    private void inNextTurn() {
        loop.executeAfterEventLoopIteration(() -> loop.execute(this));
    }
}
