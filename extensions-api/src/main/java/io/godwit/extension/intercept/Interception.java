package io.godwit.extension.intercept;

import io.godwit.extension.Answer;
import io.godwit.extension.packet.ReasonCode;

/**
 * What an interceptor makes of a packet.
 *
 * @param <P> the packet
 */
public sealed interface Interception<P> extends Answer<Interception<P>> {
    /** Lets it go on as it is. */
    record Unchanged<P>() implements Interception<P> {}

    /** Lets another packet go on in its place. */
    record Changed<P>(P packet) implements Interception<P> {}

    /**
     * Goes no further with it, and acknowledges it to the client as if it had.
     *
     * <p>Only for packets whose loss is meant: nobody gets the message, and the client does not
     * learn that.
     */
    record Dropped<P>() implements Interception<P> {}

    /**
     * Goes no further with it, and says so to the client as far as its version of MQTT can.
     *
     * @param reason goes into the acknowledgement of a 5.0 client
     */
    record Refused<P>(ReasonCode reason) implements Interception<P> {}

    static <P> Interception<P> unchanged() {
        return new Unchanged<>();
    }

    static <P> Interception<P> changed(P packet) {
        return new Changed<>(packet);
    }

    static <P> Interception<P> dropped() {
        return new Dropped<>();
    }

    static <P> Interception<P> refused(ReasonCode reason) {
        return new Refused<>(reason);
    }
}
