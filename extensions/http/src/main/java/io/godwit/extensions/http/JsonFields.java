package io.godwit.extensions.http;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Gives the fields of a JSON object; one that is null counts as missing. */
final class JsonFields {
    private final String where;
    private final Map<?, ?> values;
    private final Set<String> taken = new LinkedHashSet<>();

    /**
     * @param where the object is, in front of the names of its fields
     */
    JsonFields(String where, Map<?, ?> values) {
        this.where = where;
        this.values = values;
    }

    private @Nullable Object take(String name) {
        taken.add(name);
        return values.get(name);
    }

    boolean has(String name) {
        return values.get(name) != null;
    }

    private BadReplyException wrong(String name, String allowed) {
        return new BadReplyException(where + name + " is not " + allowed);
    }

    @Nullable String text(String name) throws BadReplyException {
        Object value = take(name);
        if (value == null || value instanceof String) return (String) value;
        throw wrong(name, "a text");
    }

    @Nullable Boolean flag(String name) throws BadReplyException {
        Object value = take(name);
        if (value == null || value instanceof Boolean) return (Boolean) value;
        throw wrong(name, "true or false");
    }

    /**
     * @return 0 when it is missing
     */
    long number(String name, long max) throws BadReplyException {
        Object value = take(name);
        if (value == null) return 0;
        if (value instanceof Long number && number >= 0 && number <= max) return number;
        throw wrong(name, "a whole number from 0 to " + max);
    }

    /** Returns the texts of a list; a text alone is a list of one. */
    List<String> texts(String name) throws BadReplyException {
        List<String> texts = new ArrayList<>();
        for (Object each : list(name)) {
            if (!(each instanceof String text)) throw wrong(name, "a list of texts");
            texts.add(text);
        }
        return texts;
    }

    /** Returns the numbers of a list; a number alone is a list of one. */
    int[] numbers(String name, int max) throws BadReplyException {
        List<?> values = list(name);
        int[] numbers = new int[values.size()];
        for (int i = 0; i < numbers.length; i++) {
            if (!(values.get(i) instanceof Long number) || number < 0 || number > max) {
                throw wrong(name, "a list of numbers from 0 to " + max);
            }
            numbers[i] = number.intValue();
        }
        return numbers;
    }

    private List<?> list(String name) {
        Object value = take(name);
        if (value == null) return List.of();
        return value instanceof List<?> list ? list : List.of(value);
    }

    Map<String, String> textsByName(String name) throws BadReplyException {
        Object value = take(name);
        if (value == null) return Map.of();
        if (!(value instanceof Map<?, ?> fields)) throw wrong(name, "an object of texts");
        Map<String, String> texts = new LinkedHashMap<>();
        for (Map.Entry<?, ?> each : fields.entrySet()) {
            if (!(each.getValue() instanceof String text)) throw wrong(name, "an object of texts");
            texts.put((String) each.getKey(), text);
        }
        return texts;
    }

    List<JsonFields> objects(String name) throws BadReplyException {
        Object value = take(name);
        if (value == null) return List.of();
        List<JsonFields> objects = new ArrayList<>();
        if (!(value instanceof List<?> list)) throw wrong(name, "a list of objects");
        for (Object each : list) {
            if (!(each instanceof Map<?, ?> fields)) throw wrong(name, "a list of objects");
            objects.add(new JsonFields(where + name + "[" + objects.size() + "].", fields));
        }
        return objects;
    }

    /** Makes a failure of an object that is wrong as a whole. */
    BadReplyException wrong(String text) {
        return new BadReplyException(where.isEmpty() ? text : where + " " + text);
    }

    /**
     * Refuses fields that nobody has taken: a field whose name is misspelt would not limit
     * anything.
     */
    void refuseOthers() throws BadReplyException {
        for (Object each : values.keySet()) {
            if (!taken.contains(each)) {
                throw new BadReplyException(where + each + " is not known here");
            }
        }
    }
}
