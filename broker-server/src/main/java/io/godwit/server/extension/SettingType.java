package io.godwit.server.extension;

import io.godwit.extension.Setting;
import io.godwit.server.config.ExtensionKeys;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Reads the values of one type that a component of a configuration record may have. */
interface SettingType {
    /** Has no range: that of a list or map is about the number of its entries. */
    Setting UNBOUNDED = Unbounded.class.getRecordComponents()[0].getAnnotation(Setting.class);

    /** Carries the annotation. */
    record Unbounded(@Setting(description = "") String any) {}

    /** Returns empty when the text is not allowed. */
    Optional<?> parse(String text, Setting setting);

    /** Says what is allowed, to follow "allowed: ". */
    String allowed(Setting setting);

    /**
     * @param folder where relative paths begin
     * @throws IllegalArgumentException settings can't have this type
     */
    static SettingType of(Type type, Path folder) {
        if (type instanceof ParameterizedType parameterized) {
            Type[] arguments = parameterized.getActualTypeArguments();
            if (parameterized.getRawType() == List.class) {
                return new Items(single(arguments[0], folder));
            }
            if (parameterized.getRawType() == Map.class && arguments[0] == String.class) {
                return new Entries(single(arguments[1], folder));
            }
        }
        return single(type, folder);
    }

    private static SettingType single(Type type, Path folder) {
        if (type == String.class) {
            return new Plain("a text", Optional::of);
        }
        if (type == boolean.class || type == Boolean.class) {
            return new Plain(
                    "true, false",
                    text ->
                            text.equals("true") || text.equals("false")
                                    ? Optional.of(text.equals("true"))
                                    : Optional.empty());
        }
        if (type == int.class || type == Integer.class) {
            return new Whole(Integer.MIN_VALUE, Integer.MAX_VALUE, Math::toIntExact);
        }
        if (type == long.class || type == Long.class) {
            return new Whole(Long.MIN_VALUE, Long.MAX_VALUE, value -> value);
        }
        if (type == double.class || type == Double.class) {
            return new Fraction();
        }
        if (type == Duration.class) {
            return new Time();
        }
        if (type == URI.class) {
            return new Plain("a URI", SettingType::uri);
        }
        if (type == Path.class) {
            return new Plain("a path", text -> path(text, folder));
        }
        if (type instanceof Class<?> constants && constants.isEnum()) {
            return oneOf(constants);
        }
        throw new IllegalArgumentException("a setting can't have the type " + type.getTypeName());
    }

    private static SettingType oneOf(Class<?> type) {
        List<Object> all = List.of(type.getEnumConstants());
        return new Plain(
                all.stream().map(SettingType::word).collect(Collectors.joining(", ")),
                text -> all.stream().filter(each -> word(each).equals(text)).findFirst());
    }

    private static String word(Object constant) {
        return ((Enum<?>) constant).name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static Optional<?> uri(String text) {
        try {
            return Optional.of(new URI(text));
        } catch (URISyntaxException e) {
            return Optional.empty();
        }
    }

    private static Optional<?> path(String text, Path folder) {
        try {
            return text.isEmpty()
                    ? Optional.empty()
                    : Optional.of(folder.resolve(text).normalize());
        } catch (InvalidPathException e) {
            return Optional.empty();
        }
    }

    private static boolean isIn(long value, Setting setting) {
        return value >= setting.min() && value <= setting.max();
    }

    /** Words for a range whose ends may be left open; empty when both are. */
    private static String range(Setting setting, Function<Long, String> shown) {
        boolean hasMin = setting.min() != Long.MIN_VALUE;
        boolean hasMax = setting.max() != Long.MAX_VALUE;
        if (!hasMin && !hasMax) {
            return "";
        }
        return " "
                + (hasMin ? shown.apply(setting.min()) : "")
                + ".."
                + (hasMax ? shown.apply(setting.max()) : "");
    }

    /** A type without a range. */
    record Plain(String words, Function<String, Optional<?>> reader) implements SettingType {
        @Override
        public Optional<?> parse(String text, Setting setting) {
            return reader.apply(text);
        }

        @Override
        public String allowed(Setting setting) {
            return words;
        }
    }

    /** Whole numbers. */
    record Whole(long min, long max, Function<Long, Object> made) implements SettingType {
        @Override
        public Optional<?> parse(String text, Setting setting) {
            try {
                long value = Long.parseLong(text);
                return value >= min && value <= max && isIn(value, setting)
                        ? Optional.of(made.apply(value))
                        : Optional.empty();
            } catch (NumberFormatException e) {
                return Optional.empty();
            }
        }

        @Override
        public String allowed(Setting setting) {
            return "a whole number" + range(setting, String::valueOf);
        }
    }

    /** Numbers with a fraction. */
    record Fraction() implements SettingType {
        @Override
        public Optional<?> parse(String text, Setting setting) {
            try {
                double value = Double.parseDouble(text);
                return Double.isFinite(value) && value >= setting.min() && value <= setting.max()
                        ? Optional.of(value)
                        : Optional.empty();
            } catch (NumberFormatException e) {
                return Optional.empty();
            }
        }

        @Override
        public String allowed(Setting setting) {
            return "a number" + range(setting, String::valueOf);
        }
    }

    /** Times such as {@code 10s}. */
    record Time() implements SettingType {
        @Override
        public Optional<?> parse(String text, Setting setting) {
            OptionalLong ms = ExtensionKeys.millis(text);
            return ms.isPresent() && isIn(ms.getAsLong(), setting)
                    ? Optional.of(Duration.ofMillis(ms.getAsLong()))
                    : Optional.empty();
        }

        @Override
        public String allowed(Setting setting) {
            return "a time such as 500ms, 10s, 5m" + range(setting, ms -> ms + "ms");
        }
    }

    /** Lists, their items separated by commas. */
    record Items(SettingType item) implements SettingType {
        @Override
        public Optional<?> parse(String text, Setting setting) {
            List<Object> items = new ArrayList<>();
            if (!text.isEmpty()) {
                for (String each : text.split(",", -1)) {
                    Optional<?> value = item.parse(each.strip(), UNBOUNDED);
                    if (value.isEmpty()) {
                        return Optional.empty();
                    }
                    items.add(value.get());
                }
            }
            return isIn(items.size(), setting) ? Optional.of(List.copyOf(items)) : Optional.empty();
        }

        @Override
        public String allowed(Setting setting) {
            String entries = range(setting, String::valueOf);
            return "a list, each "
                    + item.allowed(UNBOUNDED)
                    + (entries.isEmpty() ? "" : "; entries:" + entries);
        }
    }

    /** Maps from text; each entry is a key of its own. */
    record Entries(SettingType value) implements SettingType {
        boolean isInRange(int entries, Setting setting) {
            return isIn(entries, setting);
        }

        @Override
        public Optional<?> parse(String text, Setting setting) {
            return Optional.empty();
        }

        @Override
        public String allowed(Setting setting) {
            String entries = range(setting, String::valueOf);
            return "keys of your own below it, each "
                    + value.allowed(UNBOUNDED)
                    + (entries.isEmpty() ? "" : "; entries:" + entries);
        }
    }
}
