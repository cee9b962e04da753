package io.godwit.cluster.transport;

/**
 * What a peer says about the former link between these two starts.
 *
 * @param link number of that link on this side; 0: there was none, or the peer knows nothing of it
 * @param publishes position up to which it has received, handed to its rooms, messages of that class
 * @param appends the same
 * @param control the same
 */
public record Resumed(long link, long publishes, long appends, long control) {
    public static final Resumed NOTHING = new Resumed(0, 0, 0, 0);

    /** Whether the peer received it, by the link that this is about. */
    public boolean has(Unconfirmed message) {
        return message.position() <= received(message.traffic());
    }

    public long received(TrafficClass traffic) {
        return switch (traffic) {
            case PUBLISHES -> publishes;
            case APPENDS -> appends;
            case CONTROL -> control;
        };
    }
}
