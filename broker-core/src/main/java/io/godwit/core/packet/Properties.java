package io.godwit.core.packet;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The properties of a packet other than PUBLISH on the message path (MQTT 5.0, 2.2.2): immutable,
 * in the order in which they came. Values are Long (Byte, Two and Four Byte Integer, Variable Byte
 * Integer), String, byte[] (Binary Data) or {@link UserProperty}. Small, so looked up by a scan.
 */
public final class Properties {
    public static final Properties NONE = new Properties(new Property[0], new Object[0]);

    private final Property[] keys;
    private final Object[] values;

    private Properties(Property[] keys, Object[] values) {
        this.keys = keys;
        this.values = values;
    }

    public int size() {
        return keys.length;
    }

    public boolean isEmpty() {
        return keys.length == 0;
    }

    public Property key(int index) {
        return keys[index];
    }

    public Object value(int index) {
        return values[index];
    }

    public boolean has(Property property) {
        return indexOf(property) >= 0;
    }

    /**
     * @return the integer, or {@code otherwise} when absent
     */
    public long number(Property property, long otherwise) {
        int i = indexOf(property);
        return i < 0 ? otherwise : (Long) values[i];
    }

    public @Nullable String text(Property property) {
        int i = indexOf(property);
        return i < 0 ? null : (String) values[i];
    }

    public byte @Nullable [] binary(Property property) {
        int i = indexOf(property);
        return i < 0 ? null : (byte[]) values[i];
    }

    public List<UserProperty> userProperties() {
        List<UserProperty> found = new ArrayList<>();
        for (Object value : values) {
            if (value instanceof UserProperty pair) {
                found.add(pair);
            }
        }
        return found;
    }

    /** These without one of them; itself when it is not there. */
    public Properties without(Property property) {
        if (!has(property)) {
            return this;
        }
        Builder rest = builder();
        for (int i = 0; i < keys.length; i++) {
            if (keys[i] != property) {
                rest.put(keys[i], values[i]);
            }
        }
        return rest.build();
    }

    private int indexOf(Property property) {
        for (int i = 0; i < keys.length; i++) {
            if (keys[i] == property) {
                return i;
            }
        }
        return -1;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Properties that
                && Arrays.equals(keys, that.keys)
                && Arrays.deepEquals(values, that.values);
    }

    @Override
    public int hashCode() {
        return Objects.hash(Arrays.hashCode(keys), Arrays.deepHashCode(values));
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("{");
        for (int i = 0; i < keys.length; i++) {
            text.append(i == 0 ? "" : ", ").append(keys[i]).append('=').append(values[i]);
        }
        return text.append('}').toString();
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Gathers properties; a second value for one that may stand once is the caller's mistake. */
    public static final class Builder {
        private final List<Property> keys = new ArrayList<>();
        private final List<Object> values = new ArrayList<>();

        public Builder add(Property property, long number) {
            return put(property, number);
        }

        public Builder add(Property property, String text) {
            return put(property, text);
        }

        public Builder add(Property property, byte[] binary) {
            return put(property, binary);
        }

        public Builder add(UserProperty pair) {
            return put(Property.USER_PROPERTY, pair);
        }

        public Builder user(String name, String value) {
            return add(new UserProperty(name, value));
        }

        public Builder addAll(Properties properties) {
            for (int i = 0; i < properties.size(); i++) {
                put(properties.key(i), properties.value(i));
            }
            return this;
        }

        public boolean has(Property property) {
            return keys.contains(property);
        }

        public Properties build() {
            return keys.isEmpty()
                    ? NONE
                    : new Properties(keys.toArray(new Property[0]), values.toArray());
        }

        private Builder put(Property property, Object value) {
            keys.add(property);
            values.add(value);
            return this;
        }
    }
}
