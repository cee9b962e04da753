package io.godwit.extension.service;

import java.util.List;
import java.util.Optional;

/**
 * Holds some of many.
 *
 * @param next where the following ones begin; empty: there are none
 */
public record Page<T>(List<T> items, Optional<String> next) {
    public Page {
        items = List.copyOf(items);
    }
}
