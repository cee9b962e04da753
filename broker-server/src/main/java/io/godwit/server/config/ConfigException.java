package io.godwit.server.config;

import java.util.List;
import java.util.stream.Collectors;

/** The configuration can't be used; names every mistake that was found, not only the first. */
public final class ConfigException extends Exception {
    private static final long serialVersionUID = 1L;
    private final transient List<ConfigProblem> problems;

    ConfigException(List<ConfigProblem> problems) {
        super(
                problems.stream()
                        .map(ConfigProblem::toString)
                        .collect(Collectors.joining(System.lineSeparator())));
        this.problems = List.copyOf(problems);
    }

    /** Never empty. */
    public List<ConfigProblem> problems() {
        return problems;
    }
}
