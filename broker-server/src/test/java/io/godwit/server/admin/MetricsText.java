package io.godwit.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads Prometheus' text format, or OpenMetrics, and fails at whatever their rules forbid: names,
 * escapes, families that are split or twice there, samples without a type, buckets that decrease.
 */
final class MetricsText {
    private static final Pattern SAMPLE =
            Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(.*)\\})? (\\S+)");
    private static final Pattern LABEL =
            Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\\n]|\\\\[\\\\n\"])*)\"(,|$)");
    private static final List<String> HISTOGRAM = List.of("_bucket", "_count", "_sum");

    private final boolean isOpen;
    private final Map<String, Family> families = new LinkedHashMap<>();
    private @Nullable Family current;

    /** One metric with its samples. */
    static final class Family {
        final String name;
        String type = "";
        String help = "";
        String unit = "";
        final Map<String, Double> samples = new LinkedHashMap<>();

        Family(String name) {
            this.name = name;
        }
    }

    private MetricsText(boolean isOpen) {
        this.isOpen = isOpen;
    }

    /** The families by name, without the {@code _total} that OpenMetrics leaves out. */
    static Map<String, Family> prometheus(String text) {
        MetricsText read = new MetricsText(false);
        assertThat(text).endsWith("\n");
        text.lines().forEach(read::line);
        read.families.values().forEach(read::check);
        return read.families;
    }

    static Map<String, Family> openMetrics(String text) {
        MetricsText read = new MetricsText(true);
        assertThat(text).endsWith("\n# EOF\n");
        List<String> lines = text.lines().toList();
        lines.subList(0, lines.size() - 1).forEach(read::line);
        read.families.values().forEach(read::check);
        return read.families;
    }

    private void line(String line) {
        assertThat(line).isNotBlank().doesNotEndWith(" ");
        if (line.startsWith("#")) {
            String[] parts = line.split(" ", 4);
            assertThat(parts).as(line).hasSize(4);
            Family family = family(parts[2]);
            switch (parts[1]) {
                case "TYPE" -> {
                    assertThat(family.type).as("one TYPE: " + line).isEmpty();
                    family.type = parts[3];
                }
                case "HELP" -> {
                    assertThat(family.help).as("one HELP: " + line).isEmpty();
                    family.help = parts[3];
                }
                case "UNIT" -> {
                    assertThat(isOpen).as(line).isTrue();
                    family.unit = parts[3];
                }
                default -> throw new AssertionError("an unknown comment: " + line);
            }
            return;
        }
        Matcher sample = SAMPLE.matcher(line);
        assertThat(sample.matches()).as(line).isTrue();
        Family family = current;
        assertThat(family).as("a sample before its family: " + line).isNotNull();
        assertThat(family.type).as("a sample behind its TYPE: " + line).isNotEmpty();
        assertThat(suffixes(family))
                .as(line)
                .anyMatch(suffix -> sample.group(1).equals(family.name + suffix));
        String labels = sample.group(2) == null ? "" : sample.group(2);
        labels(labels);
        Double before =
                family.samples.put(sample.group(1) + "{" + labels + "}", number(sample.group(3)));
        assertThat(before).as("twice: " + line).isNull();
    }

    private Family family(String name) {
        Family family = current;
        if (family == null || !family.name.equals(name)) {
            assertThat(families).as("a family in two places").doesNotContainKey(name);
            family = new Family(name);
            families.put(name, family);
            current = family;
        }
        return family;
    }

    private List<String> suffixes(Family family) {
        return switch (family.type) {
            case "counter" -> List.of(isOpen ? "_total" : "");
            case "gauge", "untyped", "unknown" -> List.of("");
            case "info" -> List.of("_info");
            case "histogram" -> HISTOGRAM;
            case "summary" -> List.of("_count", "_sum", "");
            default -> throw new AssertionError(family.name + " has the type " + family.type);
        };
    }

    private static double number(String text) {
        return switch (text) {
            case "+Inf" -> Double.POSITIVE_INFINITY;
            case "-Inf" -> Double.NEGATIVE_INFINITY;
            default -> Double.parseDouble(text);
        };
    }

    private static Map<String, String> labels(String text) {
        Map<String, String> labels = new HashMap<>();
        Matcher label = LABEL.matcher(text);
        int end = 0;
        while (end < text.length()) {
            assertThat(label.find(end) && label.start() == end).as(text).isTrue();
            assertThat(labels.put(label.group(1), label.group(2))).as(text).isNull();
            end = label.end();
        }
        return labels;
    }

    private void check(Family family) {
        assertThat(family.type).as(family.name).isNotEmpty();
        assertThat(family.samples).as(family.name).isNotEmpty();
        if (family.type.equals("counter")) {
            assertThat(family.name.endsWith("_total")).as(family.name).isNotEqualTo(isOpen);
            assertThat(family.samples.values()).as(family.name).allMatch(value -> value >= 0);
        } else {
            assertThat(family.name).doesNotEndWith("_total");
        }
        if (!family.unit.isEmpty()) {
            assertThat(family.name).endsWith("_" + family.unit);
        }
        Set<Set<String>> names = new HashSet<>();
        for (String sample : family.samples.keySet()) {
            Map<String, String> labels =
                    labels(sample.substring(sample.indexOf('{') + 1, sample.length() - 1));
            labels.remove("le");
            names.add(labels.keySet());
        }
        assertThat(names).as("label names of " + family.name).hasSize(1);
        if (family.type.equals("histogram")) {
            checkBuckets(family);
        }
    }

    private static void checkBuckets(Family family) {
        Map<String, List<double[]>> rows = new LinkedHashMap<>();
        Map<String, Double> counts = new HashMap<>();
        family.samples.forEach((sample, value) -> {
            Map<String, String> labels =
                    labels(sample.substring(sample.indexOf('{') + 1, sample.length() - 1));
            String le = labels.remove("le");
            if (sample.startsWith(family.name + "_bucket")) {
                assertThat(le).as(sample).isNotNull();
                rows.computeIfAbsent(labels.toString(), key -> new ArrayList<>())
                        .add(new double[] {number(String.valueOf(le)), value});
            } else {
                assertThat(le).as(sample).isNull();
                if (sample.startsWith(family.name + "_count")) {
                    counts.put(labels.toString(), value);
                }
            }
        });
        rows.forEach((labels, row) -> {
            for (int i = 1; i < row.size(); i++) {
                assertThat(row.get(i)[0]).as(family.name + labels).isGreaterThan(row.get(i - 1)[0]);
                assertThat(row.get(i)[1])
                        .as(family.name + labels)
                        .isGreaterThanOrEqualTo(row.get(i - 1)[1]);
            }
            assertThat(row.getLast()[0]).isEqualTo(Double.POSITIVE_INFINITY);
            assertThat(counts).as(family.name).containsEntry(labels, row.getLast()[1]);
        });
    }
}
