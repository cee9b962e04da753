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
    public static final Properties NONE = new Properties(new Property[0], new Object[0], 0);

    /** The first {@code size} entries count. */
    private final Property[] keys;

    private final Object[] values;
    private final int size;

    private Properties(Property[] keys, Object[] values, int size) {
        this.keys = keys;
        this.values = values;
        this.size = size;
    }

    public int size() {
        return size;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    public Property key(int index) {
        return keys[Objects.checkIndex(index, size)];
    }

    public Object value(int index) {
        return values[Objects.checkIndex(index, size)];
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
        for (int i = 0; i < size; i++) {
            if (values[i] instanceof UserProperty pair) {
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
        for (int i = 0; i < size; i++) {
            if (keys[i] != property) {
                rest.put(keys[i], values[i]);
            }
        }
        return rest.build();
    }

    private int indexOf(Property property) {
        for (int i = 0; i < size; i++) {
            if (keys[i] == property) {
                return i;
            }
        }
        return -1;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        if (!(other instanceof Properties that) || that.size != size) {
            return false;
        }
        for (int i = 0; i < size; i++) {
            if (keys[i] != that.keys[i] || !Objects.deepEquals(values[i], that.values[i])) {
                return false;
            }
        }
        return true;
    }

    @Override
    public int hashCode() {
        int hash = 1;
        for (int i = 0; i < size; i++) {
            Object value = values[i];
            int valueHash =
                    value instanceof byte[] bytes ? Arrays.hashCode(bytes) : value.hashCode();
            hash = 31 * hash + keys[i].hashCode() * 31 + valueHash;
        }
        return hash;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("{");
        for (int i = 0; i < size; i++) {
            text.append(i == 0 ? "" : ", ").append(keys[i]).append('=').append(values[i]);
        }
        return text.append('}').toString();
    }

    public static Builder builder() {
        return new Builder();
    }

    /**
     * Gathers properties; a second value for one that may stand once is the caller's mistake. Empty
     * again after {@link #build}, which hands over what was gathered without a copy.
     */
    public static final class Builder {
        private static final int FEW = 4;

        private Property[] keys = new Property[FEW];
        private Object[] values = new Object[FEW];
        private int size;

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
            for (int i = 0; i < properties.size; i++) {
                put(properties.key(i), properties.value(i));
            }
            return this;
        }

        public boolean has(Property property) {
            for (int i = 0; i < size; i++) {
                if (keys[i] == property) {
                    return true;
                }
            }
            return false;
        }

        public Properties build() {
            if (size == 0) {
                return NONE;
            }
            Properties built = new Properties(keys, values, size);
            keys = NONE.keys;
            values = NONE.values;
            size = 0;
            return built;
        }

        private Builder put(Property property, Object value) {
            if (size == keys.length) {
                int room = Math.max(FEW, 2 * size);
                keys = Arrays.copyOf(keys, room);
                values = Arrays.copyOf(values, room);
            }
            keys[size] = property;
            values[size++] = value;
            return this;
        }
    }
}
