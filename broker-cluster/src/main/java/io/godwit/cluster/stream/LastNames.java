package io.godwit.cluster.stream;

import io.godwit.core.message.Message;
import io.godwit.core.message.PassingMessage;
import io.godwit.core.operation.MessageCodec;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import org.jspecify.annotations.Nullable;

/**
 * The names of the publish that was written last: what is written right behind it, and leaves with
 * it, can do without the same ones.
 */
final class LastNames {
    private @Nullable Topic topic;
    private @Nullable ClientId publisher;
    private int ingressServer;
    private long ingressCounter;
    private boolean standBefore;

    /** Where that publish begins in its chunk which has them. */
    private int at;

    int at() {
        return at;
    }

    /** What is written next does not stand behind them. */
    void end() {
        standBefore = false;
    }

    /**
     * Whether a publish can do with them; else others may with its own.
     *
     * @param start where it begins in its chunk
     */
    boolean areOf(Message message, int start) {
        return areOf(
                start,
                message.topic,
                message.publisher,
                message.ingressServer,
                message.ingressCounter);
    }

    /** The same of one that passes. */
    boolean areOf(PassingMessage message, int start) {
        return areOf(
                start,
                message.topic,
                message.publisher,
                message.ingressServer,
                message.ingressCounter);
    }

    private boolean areOf(int start, Topic of, @Nullable ClientId by, int server, long counter) {
        if (standBefore
                && of == topic
                && by == publisher
                && server == ingressServer
                && MessageCodec.isNear(counter, ingressCounter)) {
            return true;
        }
        if (of != topic) {
            topic = of; // The collector has to be told, with a fence.
        }
        if (by != publisher) {
            publisher = by;
        }
        ingressServer = server;
        ingressCounter = counter;
        at = start;
        standBefore = true;
        return false;
    }
}
