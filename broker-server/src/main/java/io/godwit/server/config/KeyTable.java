package io.godwit.server.config;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Collects the keys of one part of the file while they are declared. */
final class KeyTable {
    private final List<Key<?>> keys = new ArrayList<>();

    /** All that have been declared, in that order. */
    List<Key<?>> keys() {
        return Collections.unmodifiableList(keys);
    }

    <T> Key<T> key(String name, ValueType<T> type, T fallback, String meaning) {
        Key<T> key = new Key<>(name, type, fallback, meaning);
        keys.add(key);
        return key;
    }
}
