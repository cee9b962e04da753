package io.godwit.cluster.transport;

/**
 * What a peer says about the last link between these two starts by which it has received anything.
 *
 * @param link number of that link on this side; 0: the peer knows of none
 * @param publishes position up to which it has received, handed to its rooms, messages of that
 *     class
 * @param appends the same
 * @param control the same
 * @param connections the same; 0 also where a link does not have that class
 */
public record Resumed(long link, long publishes, long appends, long control, long connections) {
    public static final Resumed NOTHING = new Resumed(0, 0, 0, 0, 0);

    /** Whether this tells of the message: it went by this link, or by a later one and was lost. */
    public boolean knows(Unconfirmed message) {
        return link > 0 && message.link() >= link;
    }

    /** Whether the peer received it: false also when that is not known. */
    public boolean has(Unconfirmed message) {
        return message.link() == link && message.position() <= received(message.traffic());
    }

    public long received(TrafficClass traffic) {
        return switch (traffic) {
            case PUBLISHES -> publishes;
            case APPENDS -> appends;
            case CONTROL -> control;
            case CONNECTIONS -> connections;
            case QUESTIONS -> 0; // Nobody asks again.
        };
    }
}
