package io.godwit.conformance.target;

import java.net.InetSocketAddress;
import java.time.Duration;

/** What the suite talks to. */
public interface Target extends AutoCloseable {
    /** MQTT over TCP. */
    InetSocketAddress tcp(Profile profile);

    /** MQTT over WebSocket. */
    InetSocketAddress webSocket(Profile profile);

    /** How long a test waits for a packet that has to come. */
    Duration patience();

    @Override
    void close();

    /**
     * @param name {@code godwit}, {@code closing-double}, {@code accepting-double}, or addresses:
     *     {@code host:port} for every profile, or {@code profile=host:port,...}, where the profile
     *     {@code ws} is the WebSocket listener
     */
    static Target named(String name) {
        return switch (name) {
            case "godwit" -> new GodwitTarget();
            case "closing-double" -> new AlwaysClosingDouble();
            case "accepting-double" -> new AcceptEverythingDouble();
            default -> new AddressTarget(name);
        };
    }
}
