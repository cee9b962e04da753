package io.godwit.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.godwit.conformance.report.Coverage;
import io.godwit.conformance.report.Outcome;
import io.godwit.conformance.report.SpecTables;
import io.godwit.conformance.report.Suite;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * The suite as the build runs it: against the broker (or {@code -Dconformance.target=host:port}),
 * where all has to pass; against the two doubles, where all has to fail; and the page {@code
 * docs/conformance.md}, which is rewritten here, and compared with the committed one where {@code
 * CI} is set.
 */
class ConformanceIT {
    private static final String TARGET = System.getProperty(ConformanceExtension.TARGET, "godwit");

    private static List<Outcome> results = List.of();

    @BeforeAll
    static void runAgainstTheBroker() {
        results = Suite.run(TARGET, ".*");
        assertThat(results).isNotEmpty();
    }

    @TestFactory
    Stream<DynamicTest> the_broker_passes() {
        return results.stream().map(result -> dynamicTest(result.name(), () -> rethrow(result)));
    }

    @TestFactory
    Stream<DynamicTest> nothing_passes_against_a_server_that_always_closes() {
        return allFail("closing-double");
    }

    @TestFactory
    Stream<DynamicTest> nothing_passes_against_a_server_that_accepts_everything() {
        return allFail("accepting-double");
    }

    @Test
    void every_statement_is_proven_or_reviewed_and_the_page_says_so() throws IOException {
        var coverage = new Coverage(new SpecTables(SpecTables.root()), results);
        Path page = SpecTables.root().resolve("docs/conformance.md");
        String written = Files.exists(page) ? Files.readString(page) : "";
        boolean own = TARGET.equals("godwit");
        if (own) {
            Files.writeString(page, coverage.page());
        }
        assertThat(coverage.problems()).isEmpty();
        if (own && System.getenv("CI") != null) {
            assertThat(written).as("docs/conformance.md as committed").isEqualTo(coverage.page());
        }
    }

    private static Stream<DynamicTest> allFail(String target) {
        var against = Suite.run(target, ".*");
        assertThat(against).hasSameSizeAs(results);
        return against.stream()
                .map(result ->
                        dynamicTest(
                                result.name(),
                                () ->
                                        assertThat(result.passed())
                                                .as(result.name() + " passes against " + target)
                                                .isFalse()));
    }

    private static void rethrow(Outcome result) throws Throwable {
        if (result.failure() != null) {
            throw result.failure();
        }
    }
}
