package io.godwit.server.client;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * The options of a command, read by hand: picocli's classes are too old for a class cache, and take
 * twice as long as everything else that such a command does.
 */
final class OptionTable {
    private static final int TEXT_COLUMN = 34;
    private static final int WIDTH = 100;

    private final List<Entry> entries = new ArrayList<>();

    /** Takes the value that somebody gave to an option. */
    interface Value {
        void set(String value) throws WrongOption;
    }

    /**
     * One option.
     *
     * @param shortName such as {@code -t}; empty = none
     * @param longName such as {@code --topic}
     * @param placeholder of its value; empty = it takes none
     */
    private record Entry(
            String shortName, String longName, String placeholder, String meaning, Value value) {
        boolean isCalled(String name) {
            return name.equals(longName) || !shortName.isEmpty() && name.equals(shortName);
        }

        boolean hasValue() {
            return !placeholder.isEmpty();
        }

        String shownName() {
            return (shortName.isEmpty() ? "    " : shortName + ", ")
                    + longName
                    + (hasValue() ? " " + placeholder : "");
        }
    }

    /** Adds an option with a value. */
    OptionTable add(
            String shortName, String longName, String placeholder, String meaning, Value value) {
        entries.add(new Entry(shortName, longName, placeholder, meaning, value));
        return this;
    }

    /** Adds an option whose value is a whole number. */
    OptionTable addNumber(
            String shortName,
            String longName,
            String placeholder,
            String meaning,
            IntConsumer number) {
        return add(
                shortName,
                longName,
                placeholder,
                meaning,
                text -> {
                    try {
                        number.accept(Integer.parseInt(text));
                    } catch (NumberFormatException e) {
                        throw new WrongOption(
                                shownShort(shortName, longName)
                                        + ": '"
                                        + text
                                        + "' is not a whole number below 2147483648");
                    }
                });
    }

    /** Adds an option without a value. */
    OptionTable addFlag(String shortName, String longName, String meaning, Runnable flag) {
        return add(shortName, longName, "", meaning, value -> flag.run());
    }

    private static String shownShort(String shortName, String longName) {
        return shortName.isEmpty() ? longName : shortName;
    }

    /** Reads arguments: {@code -t a}, {@code --topic a} or {@code --topic=a}. */
    void parse(List<String> arguments) throws WrongOption {
        Iterator<String> all = arguments.iterator();
        while (all.hasNext()) {
            String argument = all.next();
            int equals = argument.startsWith("--") ? argument.indexOf('=') : -1;
            String name = equals < 0 ? argument : argument.substring(0, equals);
            String value = equals < 0 ? null : argument.substring(equals + 1);
            Entry entry = find(name);
            if (entry.hasValue()) {
                entry.value().set(value == null ? next(entry, name, all) : value);
            } else if (value == null) {
                entry.value().set("");
            } else {
                throw new WrongOption(name + " takes no value");
            }
        }
    }

    private Entry find(String name) throws WrongOption {
        for (Entry each : entries) {
            if (each.isCalled(name)) return each;
        }
        throw new WrongOption(
                name.startsWith("-") && name.length() > 1
                        ? "there is no option " + name
                        : "'" + name + "' is no option");
    }

    private static String next(Entry entry, String name, Iterator<String> rest) throws WrongOption {
        if (!rest.hasNext()) {
            throw new WrongOption(name + " needs a value: " + name + " " + entry.placeholder());
        }
        return rest.next();
    }

    /** The lines of the options for a help text. */
    String usage() {
        StringBuilder text = new StringBuilder();
        for (Entry each : entries) {
            StringBuilder line = new StringBuilder("  ").append(each.shownName());
            pad(line, TEXT_COLUMN - 2);
            line.append("  ");
            for (String word : each.meaning().split(" ", -1)) {
                if (line.length() + word.length() > WIDTH) {
                    text.append(line.toString().stripTrailing()).append('\n');
                    line.setLength(0);
                    pad(line, TEXT_COLUMN);
                }
                line.append(word).append(' ');
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
        return text.toString();
    }

    private static void pad(StringBuilder line, int to) {
        while (line.length() < to) line.append(' ');
    }

    /** The short and long names of all options. */
    List<String> names() {
        List<String> names = new ArrayList<>();
        for (Entry each : entries) {
            if (!each.shortName().isEmpty()) names.add(each.shortName());
            names.add(each.longName());
        }
        return names;
    }
}
