package io.godwit.testkit.spi;

import io.godwit.testkit.RecordedRegistration;
import java.util.List;

/** A broker that accepts clients. Any thread. */
public interface StartedBroker extends AutoCloseable {
    /** Returns the port of 127.0.0.1 at which it accepts MQTT over TCP. */
    int port();

    /** Has it do what is due, after its time has moved. */
    void onTimePassed();

    /**
     * Looks at what it is doing, after what has come from clients was read and what had to be
     * written down is written.
     */
    Activity look();

    /** Returns what the extensions have registered, in the order in which they are asked. */
    List<RecordedRegistration> registrations();

    /**
     * Stops it.
     *
     * @throws IllegalStateException it has met a fault
     */
    @Override
    void close();

    /**
     * What a broker is doing at a moment.
     *
     * @param underWay says what is under way; empty: nothing
     * @param done grows with each byte that comes or goes, and each call that has ended
     */
    record Activity(String underWay, long done) {}
}
