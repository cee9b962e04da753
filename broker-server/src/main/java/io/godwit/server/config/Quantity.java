package io.godwit.server.config;

import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A whole number with a range and perhaps a unit. A plain number counts in the key's own unit.
 *
 * @param units what may follow the number, the ones to write with from small to large
 * @param zero 0 is allowed although it is below {@code min}
 * @param never the value of the word {@code never}; -1 = the word is not known
 */
record Quantity(List<Unit> units, Unit own, long min, long max, boolean zero, long never)
        implements ValueType<Long> {

    /**
     * @param size in the smallest unit of its kind (bytes, microseconds)
     */
    private record Unit(String name, long size, boolean written) {
        Unit(String name, long size) {
            this(name, size, true);
        }
    }

    private static final Pattern FORM = Pattern.compile("([0-9]{1,19}) ?([A-Za-z]*)");
    private static final Unit ONE = new Unit("", 1);
    private static final List<Unit> BYTES =
            List.of(
                    new Unit("B", 1, false),
                    new Unit("KiB", 1L << 10),
                    new Unit("MiB", 1L << 20),
                    new Unit("GiB", 1L << 30),
                    new Unit("TiB", 1L << 40),
                    // As java -Xmx and docker --memory have them.
                    new Unit("k", 1L << 10, false),
                    new Unit("m", 1L << 20, false),
                    new Unit("g", 1L << 30, false),
                    new Unit("kB", 1_000, false),
                    new Unit("KB", 1_000, false),
                    new Unit("MB", 1_000_000, false),
                    new Unit("GB", 1_000_000_000, false));
    private static final Unit MICROS = new Unit("us", 1);
    private static final Unit MILLIS = new Unit("ms", 1_000);
    private static final Unit SECONDS = new Unit("s", 1_000_000);
    private static final List<Unit> TIMES =
            List.of(
                    MICROS,
                    MILLIS,
                    SECONDS,
                    new Unit("m", 60_000_000),
                    new Unit("h", 3_600_000_000L),
                    new Unit("d", 86_400_000_000L));

    static Quantity number(long min, long max) {
        return new Quantity(List.of(), ONE, min, max, false, -1);
    }

    /** Bytes. */
    static Quantity bytes(long min, long max) {
        return new Quantity(BYTES, BYTES.getFirst(), min, max, false, -1);
    }

    static Quantity micros(long min, long max) {
        return new Quantity(TIMES, MICROS, min, max, false, -1);
    }

    static Quantity millis(long min, long max) {
        return new Quantity(TIMES, MILLIS, min, max, false, -1);
    }

    static Quantity seconds(long min, long max) {
        return new Quantity(TIMES, SECONDS, min, max, false, -1);
    }

    Quantity orZero() {
        return new Quantity(units, own, min, max, true, never);
    }

    Quantity orNever(long value) {
        return new Quantity(units, own, min, max, zero, value);
    }

    @Override
    public Optional<Long> parse(String text) {
        if (never >= 0 && text.equals("never")) return Optional.of(never);
        Matcher form = FORM.matcher(text);
        if (!form.matches()) return Optional.empty();
        BigInteger number = new BigInteger(form.group(1));
        return unitNamed(form.group(2))
                .map(unit -> number.multiply(BigInteger.valueOf(unit.size)))
                .map(smallest -> smallest.divideAndRemainder(BigInteger.valueOf(own.size)))
                .filter(owned -> owned[1].signum() == 0 && owned[0].bitLength() < Long.SIZE)
                .map(owned -> owned[0].longValue())
                .filter(value -> (value >= min && value <= max) || (zero && value == 0));
    }

    private Optional<Unit> unitNamed(String name) {
        if (name.isEmpty()) return Optional.of(own);
        return units.stream().filter(unit -> unit.name.equals(name)).findFirst();
    }

    @Override
    public String allowed() {
        String range = (zero ? "0, " : "") + show(min) + (min == max ? "" : ".." + end());
        if (never >= 0) range += ", never";
        if (own.equals(BYTES.getFirst())) return range + " (plain number: bytes)";
        return units.isEmpty() ? range : range + " (plain number: " + own.name + ")";
    }

    private String end() {
        if (max == Long.MAX_VALUE) return "";
        return show(max == never ? max - 1 : max);
    }

    @Override
    public String show(Long value) {
        if (value == never) return "never";
        Unit best = own;
        for (Unit unit : units) {
            boolean whole = unit.written && value % Math.max(1, unit.size / own.size) == 0;
            if (whole && unit.size >= own.size && value >= unit.size / own.size) best = unit;
        }
        boolean plain = value == 0 || best.equals(BYTES.getFirst());
        return plain ? Long.toString(value) : value / (best.size / own.size) + best.name;
    }
}
