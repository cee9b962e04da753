package io.godwit.conformance.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The tables of {@code docs/spec}: every statement, and why some can't concern this broker. */
public final class SpecTables {
    /**
     * @param key version and id, such as {@code 5.0:MQTT-3.1.2-3}
     * @param binds server, client or both
     */
    public record Row(
            String key, String id, String section, String binds, String level, String summary) {}

    private final Path folder;

    public SpecTables(Path root) {
        folder = root.resolve("docs/spec");
    }

    /** The repository: the nearest folder above with {@code docs/spec} in it. */
    public static Path root() {
        Path at = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(at.resolve("docs/spec"))) {
            at = Objects.requireNonNull(at.getParent(), "no docs/spec above");
        }
        return at;
    }

    public List<Row> mqtt5() throws IOException {
        return rows("mqtt5-statements.tsv", "5.0");
    }

    public List<Row> protocolErrors() throws IOException {
        return rows("mqtt5-protocol-errors.tsv", "5.0");
    }

    public List<Row> mqtt311() throws IOException {
        return rows("mqtt311-statements.tsv", "3.1.1");
    }

    /** Reasons by key. */
    public Map<String, String> notApplicable() throws IOException {
        return byKey("not-applicable.tsv");
    }

    /** What a row that passes does not prove, or where the rest is tested; by key. */
    public Map<String, String> remarks() throws IOException {
        return byKey("remarks.tsv");
    }

    private Map<String, String> byKey(String file) throws IOException {
        var texts = new LinkedHashMap<String, String>();
        for (String[] cells : cells(file, 3)) {
            texts.put(cells[0] + ":" + cells[1], cells[2]);
        }
        return texts;
    }

    private List<Row> rows(String file, String version) throws IOException {
        var rows = new ArrayList<Row>();
        for (String[] c : cells(file, 5)) {
            rows.add(new Row(version + ":" + c[0], c[0], c[1], c[2], c[3], c[4]));
        }
        return rows;
    }

    private List<String[]> cells(String file, int columns) throws IOException {
        var out = new ArrayList<String[]>();
        for (String line : Files.readAllLines(folder.resolve(file)).stream().skip(1).toList()) {
            String[] cells = line.split("\t");
            if (cells.length != columns) {
                throw new IllegalStateException(file + ": not " + columns + " columns: " + line);
            }
            out.add(cells);
        }
        return out;
    }
}
