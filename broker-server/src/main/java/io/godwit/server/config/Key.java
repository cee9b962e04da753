package io.godwit.server.config;

import java.util.Locale;

/**
 * One key of the configuration.
 *
 * @param name dotted; that of a listener without {@code listeners.<name>.}
 * @param fallback the default
 * @param meaning sentences; what 0 means if it means something of its own
 */
record Key<T>(String name, ValueType<T> type, T fallback, String meaning) {

    /** {@code mqtt.receive-maximum} is {@code GODWIT_MQTT_RECEIVE_MAXIMUM} in the environment. */
    static String environmentName(String key) {
        return "GODWIT_" + key.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
    }

    /** The default as it is written in the file. */
    String shownFallback() {
        return type.show(fallback);
    }
}
