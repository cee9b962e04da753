package io.godwit.server.extension;

import io.godwit.extension.OnFailure;

/**
 * Something of an extension that is asked about packets.
 *
 * @param topicFilter only what matches it is shown; {@code #} is everything, topics that begin with
 *     {@code $}, too
 */
public record Hook<T>(T target, String topicFilter, OnFailure onFailure) {}
