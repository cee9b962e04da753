package io.godwit.server.extension.call;

import io.godwit.extension.OnFailure;

/**
 * Something of a running extension that is asked about packets.
 *
 * @param place among those of its kind, from 0
 */
record ActiveHook<T>(
        int place, T target, FilterPattern pattern, OnFailure onFailure, ExtensionCalls calls) {}
