package io.godwit.server.config;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What may stand at a key, and how it is read and written. */
interface ValueType<T> {

    /** Empty when the text is not allowed. */
    Optional<T> parse(String text);

    /** What is allowed, to follow "allowed: ". */
    String allowed();

    /** The value as it is written in the file, without quotes. */
    String show(T value);

    /** Whether what was written is kept out of messages. */
    default boolean isSecret() {
        return false;
    }

    /** The value as it is written in the file, its paths made absolute. */
    default String show(T value, UnaryOperator<String> absolute) {
        return show(value);
    }

    static ValueType<Boolean> bool() {
        return of(
                "true, false",
                text ->
                        switch (text) {
                            case "true" -> Optional.of(true);
                            case "false" -> Optional.of(false);
                            default -> Optional.empty();
                        },
                value -> Boolean.toString(value));
    }

    /** One of the names, written in small letters with {@code -} for {@code _}. */
    static <E extends Enum<E>> ValueType<E> oneOf(Class<E> type) {
        List<E> all = List.of(type.getEnumConstants());
        return of(
                all.stream().map(ValueType::word).collect(Collectors.joining(", ")),
                text -> all.stream().filter(e -> word(e).equals(text)).findFirst(),
                ValueType::word);
    }

    /** One or more of the words, as a list or separated by commas. */
    static ValueType<List<String>> someOf(String... words) {
        List<String> known = List.of(words);
        return of(
                "one or more of " + String.join(", ", words),
                text -> {
                    List<String> parts =
                            Arrays.stream(text.split(",", -1)).map(String::strip).toList();
                    boolean good =
                            known.containsAll(parts)
                                    && new LinkedHashSet<>(parts).size() == parts.size();
                    return good ? Optional.of(parts) : Optional.empty();
                },
                value -> "[" + String.join(", ", value) + "]");
    }

    /** Words that the test accepts, as a list or separated by commas; none when it is empty. */
    static ValueType<List<String>> words(String allowed, Predicate<String> test) {
        return of(
                allowed,
                text -> {
                    if (text.isEmpty()) return Optional.of(List.of());
                    List<String> parts =
                            Arrays.stream(text.split(",", -1)).map(String::strip).toList();
                    return parts.stream().allMatch(test) ? Optional.of(parts) : Optional.empty();
                },
                value -> "[" + String.join(", ", value) + "]");
    }

    /** A path that the test accepts. */
    static ValueType<String> path(String allowed, Predicate<String> test) {
        ValueType<String> plain = text(allowed, test);
        return new ValueType<>() {
            @Override
            public Optional<String> parse(String text) {
                return plain.parse(text);
            }

            @Override
            public String allowed() {
                return allowed;
            }

            @Override
            public String show(String value) {
                return value;
            }

            @Override
            public String show(String value, UnaryOperator<String> absolute) {
                return value.isEmpty() ? value : absolute.apply(value);
            }
        };
    }

    /** Paths that the test accepts, as a list or separated by commas; none when it is empty. */
    static ValueType<List<String>> paths(String allowed, Predicate<String> test) {
        ValueType<List<String>> plain = words(allowed, test);
        return new ValueType<>() {
            @Override
            public Optional<List<String>> parse(String text) {
                return plain.parse(text);
            }

            @Override
            public String allowed() {
                return allowed;
            }

            @Override
            public String show(List<String> value) {
                return plain.show(value);
            }

            @Override
            public String show(List<String> value, UnaryOperator<String> absolute) {
                return plain.show(value.stream().map(absolute).toList());
            }
        };
    }

    /** Any text that the test accepts and that nobody is to be shown. */
    static ValueType<String> secret(String allowed, Predicate<String> test) {
        ValueType<String> plain = text(allowed, test);
        return new ValueType<>() {
            @Override
            public Optional<String> parse(String text) {
                return plain.parse(text);
            }

            @Override
            public String allowed() {
                return allowed;
            }

            @Override
            public String show(String value) {
                return value;
            }

            @Override
            public boolean isSecret() {
                return true;
            }
        };
    }

    /** Any text that the test accepts. */
    static ValueType<String> text(String allowed, Predicate<String> test) {
        return of(allowed, text -> Stream.of(text).filter(test).findFirst(), text -> text);
    }

    /** An address; {@code none} (when there may be none) and the empty default are empty. */
    static ValueType<Optional<BindAddress>> address(boolean noneAllowed) {
        return of(
                "port, host:port, [IPv6 address]:port" + (noneAllowed ? ", none" : ""),
                text ->
                        noneAllowed && text.equals("none")
                                ? Optional.of(Optional.empty())
                                : BindAddress.parse(text).map(Optional::of),
                value -> value.map(BindAddress::toString).orElse("none"));
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static <T> ValueType<T> of(
            String allowed, Function<String, Optional<T>> parse, Function<T, String> show) {
        return new ValueType<>() {
            @Override
            public Optional<T> parse(String text) {
                return parse.apply(text);
            }

            @Override
            public String allowed() {
                return allowed;
            }

            @Override
            public String show(T value) {
                return show.apply(value);
            }
        };
    }
}
