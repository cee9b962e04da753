package io.godwit.extension;

import java.util.List;

/** Says that an extension's settings are not as they have to be. */
public final class ConfigurationException extends Exception {
    private static final long serialVersionUID = 1;

    private final transient List<String> mistakes;

    /**
     * @param mistakes one sentence each, with key, value and what is allowed; at least one
     */
    public ConfigurationException(List<String> mistakes) {
        super(String.join("; ", mistakes));
        this.mistakes = List.copyOf(mistakes);
    }

    /** Returns the mistakes, one sentence each. */
    public List<String> mistakes() {
        return mistakes;
    }
}
