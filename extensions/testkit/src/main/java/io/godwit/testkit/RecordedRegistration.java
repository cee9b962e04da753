package io.godwit.testkit;

/**
 * Something that an extension has registered.
 *
 * @param extension its id
 * @param kind what it is: {@code authenticator}, {@code publish-interceptor}, {@code
 *     client-listener} ...
 * @param name its topic filter, {@code #} for everything, or its Authentication Method; empty: it
 *     has neither
 */
public record RecordedRegistration(String extension, String kind, String name) {}
