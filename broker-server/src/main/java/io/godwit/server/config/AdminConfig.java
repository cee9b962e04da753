package io.godwit.server.config;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The admin port ({@code admin.*}).
 *
 * @param bind null = no admin port
 * @param hosts names of this machine beside those that are known, {@code *} for any
 * @param token null = none: what changes something is asked for on the machine itself
 * @param requestTimeoutMs from a request's first byte until its answer has left
 */
public record AdminConfig(
        @Nullable BindAddress bind,
        List<String> hosts,
        @Nullable Secret token,
        long requestTimeoutMs) {
    public AdminConfig {
        hosts = List.copyOf(hosts);
    }
}
