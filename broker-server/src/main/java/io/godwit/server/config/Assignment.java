package io.godwit.server.config;

/**
 * Somebody wrote a value to a key.
 *
 * @param key dotted, as written; not yet known to exist
 * @param text the items of a list joined by commas
 * @param where to name in a mistake: file and line, {@code --set}, or the variable
 */
public record Assignment(String key, String text, String where) {}
