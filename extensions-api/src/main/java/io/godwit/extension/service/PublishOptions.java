package io.godwit.extension.service;

import io.godwit.extension.Preview;
import io.godwit.extension.client.Client;

/** Says how a message of an extension is published. */
@Preview
public final class PublishOptions {
    private static final PublishOptions DEFAULTS = new PublishOptions(false);

    private final boolean isIntercepted;

    private PublishOptions(boolean isIntercepted) {
        this.isIntercepted = isIntercepted;
    }

    /** Returns options with which no interceptor sees the message. */
    public static PublishOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Returns options with which interceptors see the message, or not. Those do that are asked
     * after this extension: of extensions that follow it by priority. So none sees what it has
     * published itself, and a message that an interceptor publishes comes to an end. They are given
     * a client for which {@link Client#isExtension} is true.
     */
    public PublishOptions intercepted(boolean isSeen) {
        return new PublishOptions(isSeen);
    }

    /** Whether interceptors see the message. */
    public boolean isIntercepted() {
        return isIntercepted;
    }
}
