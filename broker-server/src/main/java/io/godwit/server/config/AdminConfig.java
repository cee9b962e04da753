package io.godwit.server.config;

import org.jspecify.annotations.Nullable;

/**
 * The admin port ({@code admin.*}).
 *
 * @param bind null = no admin port
 * @param requestTimeoutMs from a request's first byte until its answer has left
 */
public record AdminConfig(@Nullable BindAddress bind, long requestTimeoutMs) {}
