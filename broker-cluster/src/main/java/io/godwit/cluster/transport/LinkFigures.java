package io.godwit.cluster.transport;

import java.util.List;

/**
 * What has gone by a link since it was opened, and what waits, at a moment.
 *
 * @param number of the link among all of this start of this node
 * @param endpoint for people
 * @param protocol version that both speak
 */
public record LinkFigures(
        NodeStart peer,
        long number,
        String endpoint,
        LinkState state,
        int protocol,
        long bytesSent,
        long bytesReceived,
        long framesSent,
        long framesReceived,
        OfClass publishes,
        OfClass appends,
        OfClass control,
        OfClass connections,
        OfClass questions) {
    public OfClass of(TrafficClass traffic) {
        return switch (traffic) {
            case PUBLISHES -> publishes;
            case APPENDS -> appends;
            case CONTROL -> control;
            case CONNECTIONS -> connections;
            case QUESTIONS -> questions;
        };
    }

    /** All of them, in the order of their codes. */
    public List<OfClass> classes() {
        return List.of(publishes, appends, control, connections, questions);
    }

    /**
     * One class of a link.
     *
     * @param messagesReceived that were handed to the rooms here
     * @param waitingBytes here for the peer, or sent and not confirmed: how far it lags behind
     * @param receivedBytes handed to the rooms and not taken
     * @param creditBytes that may leave before the peer has given more; below 0 when the last
     *     message went beyond it
     */
    public record OfClass(
            long messagesReceived, long waitingBytes, long receivedBytes, long creditBytes) {}
}
