package io.godwit.benchmarks.load;

import java.util.Arrays;
import java.util.Collection;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Median and range of the rounds' figures. */
public record Spread(double median, double least, double most) {
    /** Of at least one round. */
    public static <T> Spread of(Collection<T> rounds, ToDoubleFunction<T> figure) {
        double[] sorted = rounds.stream().mapToDouble(figure).sorted().toArray();
        int middle = sorted.length / 2;
        double median =
                sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Spread(median, sorted[0], Arrays.stream(sorted).max().orElseThrow());
    }

    /** Such as "5.31 [5.02-5.90]". */
    public String text(String format) {
        return String.format(
                Locale.ROOT, format + " [" + format + "-" + format + "]", median, least, most);
    }

    public String medianText(String format) {
        return String.format(Locale.ROOT, format, median);
    }
}
