package io.godwit.server.extension;

/**
 * What an extension that runs has registered at a moment, and what runs it. After a replacement the
 * same id has another runtime.
 */
public record RunningExtension(Registered registered, ExtensionRuntime runtime) {}
