package io.godwit.server.rules;

/** A file of rules that cannot be used: the message names file, line, key and what is allowed. */
public final class RulesMistake extends Exception {
    private static final long serialVersionUID = 1L;

    RulesMistake(String message) {
        super(message);
    }
}
