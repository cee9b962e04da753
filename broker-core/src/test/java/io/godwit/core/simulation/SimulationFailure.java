package io.godwit.core.simulation;

/** Something that must never be has happened; the message says where and what led to it. */
public final class SimulationFailure extends AssertionError {
    private static final long serialVersionUID = 1;

    SimulationFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
