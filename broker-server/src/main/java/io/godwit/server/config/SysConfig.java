package io.godwit.server.config;

/**
 * The {@code $SYS} topics ({@code sys.*}).
 *
 * @param intervalMs between two publications; 0 = none at all
 */
public record SysConfig(long intervalMs) {}
