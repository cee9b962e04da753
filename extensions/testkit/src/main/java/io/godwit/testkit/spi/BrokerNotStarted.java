package io.godwit.testkit.spi;

/** Says why a broker does not start. */
public final class BrokerNotStarted extends Exception {
    private static final long serialVersionUID = 1;

    public BrokerNotStarted(String message, Throwable cause) {
        super(message, cause);
    }
}
