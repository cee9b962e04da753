package io.godwit.server.config;

/**
 * What holds for all sessions ({@code session.*}).
 *
 * @param clockHoldMs how long a wall clock that has jumped must hold until it is believed
 */
public record SessionConfig(long clockHoldMs) {}
