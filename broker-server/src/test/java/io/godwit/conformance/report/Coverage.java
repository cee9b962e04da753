package io.godwit.conformance.report;

import io.godwit.conformance.report.SpecTables.Row;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** Which statement has which tests, what is missing, and the page that says so. */
public final class Coverage {
    private final SpecTables tables;
    private final Map<String, List<Outcome>> testsByStatement = new TreeMap<>();
    private final Map<String, String> notApplicable;
    private final Map<String, String> remarks;

    public Coverage(SpecTables tables, List<Outcome> results) throws IOException {
        this.tables = tables;
        this.notApplicable = tables.notApplicable();
        this.remarks = tables.remarks();
        for (Outcome result : results) {
            for (String statement : result.statements()) {
                testsByStatement.computeIfAbsent(statement, s -> new ArrayList<>()).add(result);
            }
        }
    }

    /** What has to be put right; empty when each statement is proven or reviewed. */
    public List<String> problems() throws IOException {
        var problems = new ArrayList<String>();
        var known = new TreeSet<String>();
        for (Row row : all()) {
            known.add(row.key());
            boolean proven = state(row).equals("passed");
            if (notApplicable.containsKey(row.key()) && testsByStatement.containsKey(row.key())) {
                problems.add(row.key() + " has a test and stands in not-applicable.tsv");
            } else if (!proven && !notApplicable.containsKey(row.key())) {
                problems.add(row.key() + " has no passing test: " + row.summary());
            }
        }
        var unknown = new TreeSet<>(testsByStatement.keySet());
        unknown.addAll(notApplicable.keySet());
        unknown.addAll(remarks.keySet());
        unknown.removeAll(known);
        unknown.forEach(key -> problems.add(key + " is named but is in no table"));
        return problems;
    }

    private List<Row> all() throws IOException {
        var all = new ArrayList<>(tables.mqtt5());
        all.addAll(tables.protocolErrors());
        all.addAll(tables.mqtt311());
        return all;
    }

    private String state(Row row) {
        var tests = testsByStatement.getOrDefault(row.key(), List.of());
        if (tests.isEmpty()) {
            return notApplicable.containsKey(row.key()) ? "not applicable" : "missing";
        }
        return tests.stream().allMatch(Outcome::passed) ? "passed" : "failed";
    }

    /** The page, in Markdown; the same results give the same bytes. */
    public String page() throws IOException {
        var out = new StringBuilder();
        out.append(
                """
                # Conformance

                Written by the build (`ConformanceIT`); don't edit. Each row is a normative statement of the
                tables in [spec](spec/README.md), with the tests that prove it on the wire. None of these
                tests passes against a server that always closes, nor against one that accepts everything.
                Statements that can't concern this broker stand in
                [not-applicable.tsv](spec/not-applicable.tsv) with a reason each. A remark says what a
                passed row does not prove, or where the rest of it is tested.

                | Table | Statements | Passed | Not applicable | Failed | Missing |
                | --- | ---: | ---: | ---: | ---: | ---: |
                """);
        summary(out, "MQTT 5.0", tables.mqtt5());
        summary(out, "MQTT 5.0, unnumbered Protocol Errors", tables.protocolErrors());
        summary(out, "MQTT 3.1.1", tables.mqtt311());
        section(out, "MQTT 5.0", tables.mqtt5());
        section(out, "MQTT 5.0: unnumbered Protocol Errors", tables.protocolErrors());
        section(out, "MQTT 3.1.1", tables.mqtt311());
        return out.toString();
    }

    private void summary(StringBuilder out, String title, List<Row> rows) {
        out.append("| ").append(title).append(" | ").append(rows.size());
        for (String state : List.of("passed", "not applicable", "failed", "missing")) {
            out.append(" | ").append(rows.stream().filter(r -> state(r).equals(state)).count());
        }
        out.append(" |\n");
    }

    private void section(StringBuilder out, String title, List<Row> rows) {
        out.append("\n## ").append(title).append("\n\n");
        out.append("| Statement | Binds | Summary | Tests | Result | Remark |\n");
        out.append("| --- | --- | --- | --- | --- | --- |\n");
        for (Row row : rows) {
            out.append("| ").append(row.id()).append(" | ").append(row.binds()).append(" | ");
            out.append(cell(row.summary())).append(" | ").append(tests(row)).append(" | ");
            out.append(result(row)).append(" | ");
            out.append(cell(remarks.getOrDefault(row.key(), ""))).append(" |\n");
        }
    }

    private String tests(Row row) {
        var names =
                testsByStatement.getOrDefault(row.key(), List.of()).stream()
                        .map(test -> "`" + test.name() + "`")
                        .toList();
        return String.join("<br>", names);
    }

    private String result(Row row) {
        String state = state(row);
        String reason = notApplicable.get(row.key());
        return reason != null && state.equals("not applicable")
                ? "not applicable: " + cell(reason)
                : state;
    }

    private static String cell(String text) {
        return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*");
    }
}
