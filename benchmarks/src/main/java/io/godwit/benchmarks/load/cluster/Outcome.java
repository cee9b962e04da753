package io.godwit.benchmarks.load.cluster;

import java.io.PrintStream;

/** The table that a scenario prints at its end: a row for each figure, with its bound. */
final class Outcome {
    private static final PrintStream OUT = System.out;

    private Outcome() {}

    static void head() {
        OUT.println("| scenario | figure | measured | bound | |\n| --- | --- | --- | --- | --- |");
    }

    /**
     * @param bound such as "<= 2.2"
     */
    static void row(String scenario, String figure, String measured, String bound, boolean met) {
        print(scenario, figure, measured, bound, met ? "met" : "**MISSED**");
    }

    /** A figure without a bound. */
    static void row(String scenario, String figure, String measured) {
        print(scenario, figure, measured, "", "");
    }

    private static void print(String... cells) {
        OUT.println("| " + String.join(" | ", cells) + " |");
    }
}
