package io.godwit.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Core reads no clock, makes no randomness and starts no thread: else a seed is only a rumour. */
class PurityTest {
    /** What may not stand in core, and what to use instead. */
    private static final Map<Pattern, String> FORBIDDEN =
            Map.of(
                    Pattern.compile("System\\.(currentTimeMillis|nanoTime)|Instant\\.now|Clock\\."),
                    "time.TimeSource, read once per turn by Shard",
                    Pattern.compile(
                            "Math\\.random|ThreadLocalRandom|SecureRandom|UUID\\.|new (Splittable)?Random\\("),
                    "the RandomGenerator that each shard is given",
                    Pattern.compile(
                            "\\bnew Thread\\b|Thread\\.(of|start|sleep)|Executors\\.|"
                                    + "supplyAsync|runAsync|ForkJoin|java\\.util\\.Timer\\b"),
                    "Shard.execute, Shard.slice and time.TimerWheel",
                    // An exception may be named: it says what has failed elsewhere.
                    Pattern.compile(
                            "java\\.(io\\.(File|Random)|nio\\.(file|channels)|net\\.)"
                                    + "(?![.\\w]*Exception;)"),
                    "a port that the program implements",
                    Pattern.compile("identityHashCode"),
                    "a hash that is the same in each run");

    @Test
    void core_has_no_clock_randomness_thread_or_file_of_its_own() throws IOException {
        List<String> found = new ArrayList<>();
        Path root = Path.of("src", "main", "java");
        List<Path> files;
        try (Stream<Path> walk = Files.walk(root)) {
            files = walk.filter(path -> path.toString().endsWith(".java")).toList();
        }
        assertThat(files).hasSizeGreaterThan(50);
        for (Path file : files) {
            String code = withoutComments(Files.readString(file));
            FORBIDDEN.forEach((pattern, instead) -> {
                Matcher matcher = pattern.matcher(code);
                if (matcher.find()) {
                    found.add(file + ": " + matcher.group() + "; use " + instead);
                }
            });
        }
        assertThat(found).isEmpty();
    }

    private static String withoutComments(String code) {
        return code.replaceAll("(?s)/\\*.*?\\*/", "").replaceAll("//[^\n]*", "");
    }
}
