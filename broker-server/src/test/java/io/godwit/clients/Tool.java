package io.godwit.clients;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/**
 * Programs that are not Java's and that a test can't do without. Where one is missing the test
 * fails in CI ({@code CI=true}); elsewhere it is skipped and says how to get the program.
 */
public final class Tool {
    private static final Pattern SEPARATOR = Pattern.compile(Pattern.quote(File.pathSeparator));

    private Tool() {}

    /** Absolute path of a program on PATH, or in the folders where servers stand. */
    public static String require(String program, String howToGet) {
        return Stream.concat(
                        SEPARATOR.splitAsStream(System.getenv().getOrDefault("PATH", "")),
                        Stream.of("/usr/sbin", "/usr/local/sbin"))
                .map(folder -> Path.of(folder, program))
                .filter(Files::isExecutable)
                .findFirst()
                .map(Path::toString)
                .orElseGet(() -> missing(program, howToGet));
    }

    /** A file or folder that the client tools' installation makes. */
    public static Path require(Path file, String howToGet) {
        return Optional.of(file)
                .filter(Files::exists)
                .orElseGet(() -> Path.of(missing(file.toString(), howToGet)));
    }

    private static String missing(String what, String howToGet) {
        String sentence = "NOT RUN: " + what + " is missing; " + howToGet;
        System.err.println(sentence);
        if ("true".equals(System.getenv("CI"))) {
            return Assertions.fail(sentence);
        }
        return Assumptions.abort(sentence);
    }
}
