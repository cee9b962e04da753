package io.godwit.cluster.takeover;

/**
 * How far a claim of this node is.
 *
 * <pre>
 * state     trigger                          next
 * ASKING    granted, nobody has it           MAKING
 * ASKING    granted, it has a home           TAKING
 * ASKING    the home is out of reach, time   REFUSED
 * TAKING    granted anew, nobody has it      MAKING
 * TAKING    granted anew, it has a home      TAKING
 * TAKING    the header came                  ARRIVING
 * TAKING    it has ended there               MAKING
 * TAKING    it is not there                  ASKING
 * TAKING    the home is out of reach, time   REFUSED
 * MAKING    made, or nobody wants it         SETTLED
 * ARRIVING  it is here, durably              SETTLED
 * </pre>
 *
 * Anything else comes too late, and changes nothing.
 */
enum ClaimState {
    ASKING,
    TAKING,
    MAKING,
    ARRIVING,
    REFUSED,
    SETTLED;

    /** What happens to a claim. */
    enum Trigger {
        GRANTED_NOBODY,
        GRANTED_HOME,
        HEADER,
        ENDED,
        NOT_HERE,
        OUT_OF_REACH,
        HERE
    }

    /** The next state; the same one where the table has nothing. */
    ClaimState on(Trigger trigger) {
        return switch (this) {
            case ASKING ->
                    switch (trigger) {
                        case GRANTED_NOBODY -> MAKING;
                        case GRANTED_HOME -> TAKING;
                        case OUT_OF_REACH -> REFUSED;
                        case HEADER, ENDED, NOT_HERE, HERE -> this;
                    };
            case TAKING ->
                    switch (trigger) {
                        case GRANTED_NOBODY, ENDED -> MAKING;
                        case GRANTED_HOME -> TAKING;
                        case HEADER -> ARRIVING;
                        case NOT_HERE -> ASKING;
                        case OUT_OF_REACH -> REFUSED;
                        case HERE -> this;
                    };
            case MAKING, ARRIVING -> trigger == Trigger.HERE ? SETTLED : this;
            case REFUSED, SETTLED -> this;
        };
    }

    /** Whether the trigger means something now. */
    boolean takes(Trigger trigger) {
        return on(trigger) != this || this == TAKING && trigger == Trigger.GRANTED_HOME;
    }
}
