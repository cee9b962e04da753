package io.godwit.server.extension;

import io.godwit.extension.ConfigurationException;
import io.godwit.extension.Setting;
import io.godwit.server.config.Assignment;
import io.godwit.server.config.ConfigProblem;
import io.godwit.server.config.ExtensionKeys;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the settings of an extension into its record: from {@code config.yaml} in its folder, then
 * what the broker's configuration says, which counts before that.
 */
final class SettingsReader {
    static final String FILE = "config.yaml";

    private final String prefix;
    private final Path folder;
    private final List<Assignment> written = new ArrayList<>();
    private final List<ConfigProblem> ofFile = new ArrayList<>();

    /**
     * @param folder of the extension
     * @param configured as the broker's configuration says, in the order of what counts
     */
    SettingsReader(String id, Path folder, List<Assignment> configured) {
        prefix = ExtensionKeys.configPrefix(id);
        this.folder = folder;
        Path file = folder.resolve(FILE);
        if (Files.exists(file)) {
            written.addAll(ExtensionKeys.read(file, prefix, ofFile));
        }
        written.addAll(configured);
    }

    /**
     * Makes the record.
     *
     * @throws ConfigurationException names all mistakes
     * @throws IllegalArgumentException the record is not one for settings
     */
    <C extends Record> C read(Class<C> type) throws ConfigurationException {
        Reading reading = new Reading();
        C made = reading.make(type, "");
        reading.refuseUnknown();
        if (!reading.problems.isEmpty() || made == null) {
            throw new ConfigurationException(
                    reading.problems.stream().map(ConfigProblem::toString).distinct().toList());
        }
        return made;
    }

    /** One component with its key, and what was written to it. */
    private record Place(String key, RecordComponent component, Setting setting) {
        boolean isOptional() {
            return setting.value().equals(Setting.NONE);
        }

        boolean isRequired() {
            return setting.value().equals(Setting.REQUIRED);
        }
    }

    private final class Reading {
        private final List<ConfigProblem> problems = new ArrayList<>(ofFile);
        private final List<String> known = new ArrayList<>();
        private final Set<String> used = new HashSet<>();

        /** Returns null when a mistake was found. */
        private <C extends Record> @Nullable C make(Class<C> type, String above) {
            RecordComponent[] components = type.getRecordComponents();
            Class<?>[] types = new Class<?>[components.length];
            Object[] values = new Object[components.length];
            int before = problems.size();
            for (int i = 0; i < components.length; i++) {
                types[i] = components[i].getType();
                values[i] = value(place(type, components[i], above));
            }
            if (problems.size() > before) {
                return null;
            }
            try {
                Constructor<C> constructor = type.getDeclaredConstructor(types);
                constructor.setAccessible(true);
                return constructor.newInstance(values);
            } catch (InvocationTargetException e) {
                Throwable thrown = e.getCause();
                String why = thrown == null ? null : thrown.getMessage();
                problem(above, why == null ? Throwables.text(thrown == null ? e : thrown) : why);
                return null;
            } catch (ReflectiveOperationException e) {
                throw new IllegalArgumentException(type.getName() + " can't be made", e);
            }
        }

        private void problem(String key, String text) {
            String section = key.isEmpty() ? prefix : prefix + key;
            problems.add(
                    new ConfigProblem(
                            "configuration",
                            section.substring(0, section.length() - 1),
                            null,
                            text));
        }

        private Place place(Class<?> type, RecordComponent component, String above) {
            Setting setting = component.getAnnotation(Setting.class);
            if (setting == null) {
                throw new IllegalArgumentException(
                        type.getName() + "." + component.getName() + " has no @Setting");
            }
            Place place = new Place(above + hyphened(component.getName()), component, setting);
            if (place.isOptional() && component.getType().isPrimitive()) {
                throw new IllegalArgumentException(
                        type.getName() + "." + component.getName() + " can't be null");
            }
            return place;
        }

        private @Nullable Object value(Place place) {
            Class<?> type = place.component().getType();
            if (type.isRecord()) {
                return nested(place, type.asSubclass(Record.class));
            }
            SettingType kind = SettingType.of(place.component().getGenericType(), folder);
            return kind instanceof SettingType.Entries entries
                    ? map(place, entries)
                    : single(place, kind);
        }

        private @Nullable Object nested(Place place, Class<? extends Record> type) {
            String below = place.key() + ".";
            if (place.isOptional() && written.stream().noneMatch(each -> isBelow(each, below))) {
                for (RecordComponent each : type.getRecordComponents()) {
                    known.add(place(type, each, below).key());
                }
                return null;
            }
            return make(type, below);
        }

        private @Nullable Object single(Place place, SettingType kind) {
            known.add(place.key());
            Assignment last = null;
            for (Assignment each : written) {
                if (isFor(each, place.key())) {
                    used.add(each.key());
                    last = each;
                }
            }
            if (last == null && place.isOptional()) {
                return null;
            }
            if (last == null && place.isRequired()) {
                missing(place, kind);
                return null;
            }
            Assignment chosen = last == null ? fallback(place) : last;
            return parsed(place, place.key(), kind, chosen, place.setting());
        }

        private Assignment fallback(Place place) {
            return new Assignment(prefix + place.key(), place.setting().value(), "default");
        }

        private void missing(Place place, SettingType kind) {
            problems.add(
                    new ConfigProblem(
                            "configuration",
                            prefix + place.key(),
                            null,
                            "is missing ("
                                    + place.setting().description()
                                    + "); allowed: "
                                    + kind.allowed(place.setting())));
        }

        private @Nullable Object parsed(
                Place place, String key, SettingType kind, Assignment chosen, Setting range) {
            Optional<?> value = kind.parse(chosen.text(), range);
            if (value.isEmpty()) {
                problems.add(
                        new ConfigProblem(
                                chosen.where(),
                                prefix + key,
                                place.setting().secret() ? "(secret)" : chosen.text(),
                                "allowed: " + kind.allowed(range)));
            }
            return value.orElse(null);
        }

        private @Nullable Object map(Place place, SettingType.Entries kind) {
            String below = place.key() + ".";
            known.add(below + "<name>");
            List<Assignment> entries =
                    written.stream().filter(each -> each.key().startsWith(prefix + below)).toList();
            if (entries.isEmpty() && place.isOptional()) {
                return null;
            }
            if (entries.isEmpty() && place.isRequired()) {
                missing(place, kind);
                return null;
            }
            Map<String, Object> made = new HashMap<>();
            for (Assignment each : entries) {
                used.add(each.key());
                String name = each.key().substring(prefix.length() + below.length());
                Object value =
                        parsed(place, below + name, kind.value(), each, SettingType.UNBOUNDED);
                if (value != null) {
                    made.put(name, value);
                }
            }
            if (!kind.isInRange(made.size(), place.setting())) {
                problem(below, "allowed: " + kind.allowed(place.setting()));
            }
            return Map.copyOf(made);
        }

        private boolean isBelow(Assignment each, String below) {
            String key = each.key().substring(prefix.length());
            return key.startsWith(below)
                    || key.startsWith(ExtensionKeys.environmentForm(below)) && isEnvironment(key);
        }

        private boolean isFor(Assignment each, String key) {
            String name = each.key().substring(prefix.length());
            return name.equals(key)
                    || isEnvironment(name) && name.equals(ExtensionKeys.environmentForm(key));
        }

        /** Keys of a record have small letters; those of the environment have none. */
        private boolean isEnvironment(String key) {
            return key.equals(key.toUpperCase(Locale.ROOT));
        }

        private void refuseUnknown() {
            for (Assignment each : written) {
                if (!used.contains(each.key())) {
                    String key = each.key().substring(prefix.length());
                    problems.add(
                            new ConfigProblem(
                                    each.where(),
                                    each.key(),
                                    null, // It may be a secret, mistyped.
                                    ExtensionKeys.unknown(key, known)));
                }
            }
        }
    }

    /** {@code retryTime} is written {@code retry-time}. */
    static String hyphened(String name) {
        return name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }
}
