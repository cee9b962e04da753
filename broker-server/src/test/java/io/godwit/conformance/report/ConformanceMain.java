package io.godwit.conformance.report;

import java.io.IOException;
import java.util.List;

/**
 * Runs the suite against any broker and prints what failed, without writing anything: {@code
 * ConformanceMain <target> [class pattern] [-v]}.
 */
public final class ConformanceMain {
    private ConformanceMain() {}

    public static void main(String[] args) throws IOException {
        long start = System.nanoTime();
        String only = args.length > 1 && !args[1].equals("-v") ? args[1] : ".*";
        List<Outcome> results = Suite.run(args[0], only);
        boolean verbose = args[args.length - 1].equals("-v");
        for (Outcome result : results) {
            if (result.failure() != null) {
                System.out.println(
                        "FAILED " + result.name() + ": " + result.failure().getMessage());
                if (verbose) {
                    result.failure().printStackTrace(System.out);
                }
            }
        }
        System.out.printf(
                "%d tests, %d passed, %d ms%n",
                results.size(),
                results.stream().filter(Outcome::passed).count(),
                (System.nanoTime() - start) / 1_000_000);
        if (verbose) {
            results.stream()
                    .filter(Outcome::passed)
                    .forEach(result -> System.out.println("passed " + result.name()));
        }
        if (only.equals(".*")) {
            var coverage = new Coverage(new SpecTables(SpecTables.root()), results);
            coverage.problems().stream().limit(verbose ? 1_000 : 0).forEach(System.out::println);
            System.out.println(coverage.problems().size() + " problems");
        }
    }
}
