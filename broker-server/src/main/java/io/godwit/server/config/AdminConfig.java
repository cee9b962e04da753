package io.godwit.server.config;

import org.jspecify.annotations.Nullable;

/**
 * The admin port ({@code admin.*}).
 *
 * @param bind null = no admin port
 */
public record AdminConfig(@Nullable BindAddress bind) {}
