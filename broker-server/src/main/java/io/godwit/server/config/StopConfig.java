package io.godwit.server.config;

/**
 * The orderly stop ({@code stop.*}).
 *
 * @param timeoutMs from SIGTERM until the process ends whatever is left
 */
public record StopConfig(long timeoutMs) {}
