package io.godwit.server.logging;

import io.godwit.server.config.FewKeys;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes the errors that end a start as the log would have: a collector reads them, too. What the
 * configuration says of the log counts, even if the rest of it is wrong.
 */
public final class StartErrors {
    private static final String FORMAT = "log.format";
    private static final String NODE = "node.name";
    private static final String LOGGER = "io.godwit.server.Start";

    private final boolean isJson;
    private final String node;

    private StartErrors(boolean isJson, String node) {
        this.isJson = isJson;
        this.node = node;
    }

    /** Reads how the log is written. */
    public static StartErrors of(
            @Nullable Path file, Map<String, String> environment, List<String> sets) {
        Map<String, String> keys = FewKeys.texts(Set.of(FORMAT, NODE), file, environment, sets);
        return new StartErrors(
                "json".equals(keys.get(FORMAT)), FewKeys.nodeName(keys.getOrDefault(NODE, "")));
    }

    /** Prints a sentence to standard error, as a line of the log. */
    public void print(String sentence) {
        System.err.print(line(sentence, Instant.now()));
    }

    String line(String sentence, Instant time) {
        StringBuilder line = new StringBuilder();
        String thread = Thread.currentThread().getName();
        if (isJson) {
            JsonLines.append(line, time, "ERROR", node, thread, LOGGER, sentence);
            line.append("}\n");
        } else {
            TextLines.append(line, time, "ERROR", thread, LOGGER, sentence);
        }
        return line.toString();
    }
}
