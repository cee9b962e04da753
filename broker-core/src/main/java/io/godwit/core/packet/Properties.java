package io.godwit.core.packet;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The properties of a packet other than PUBLISH on the message path (MQTT 5.0, 2.2.2): immutable,
 * in the order in which they came. Values are Long (Byte, Two and Four Byte Integer, Variable Byte
 * Integer), String or byte[] (Binary Data). Small, so looked up by a scan.
 *
 * <p>User Properties stand apart, behind the others, as the bytes in which they came: a packet can
 * bring hundreds of thousands, as objects they would take fifteen times what they take on the wire,
 * and hardly anyone asks for them.
 */
public final class Properties {
    private static final byte[] NO_BYTES = new byte[0];

    public static final Properties NONE =
            new Properties(new Property[0], new Object[0], 0, NO_BYTES, 0);

    /** Bytes of a value with its place in the arrays. */
    private static final int ENTRY_BYTES = 48;

    /** The first {@code size} entries count. */
    private final Property[] keys;

    private final Object[] values;
    private final int size;

    /** The User Properties as on the wire, each with its identifier. */
    private final byte[] users;

    private final int userCount;

    private Properties(Property[] keys, Object[] values, int size, byte[] users, int userCount) {
        this.keys = keys;
        this.values = values;
        this.size = size;
        this.users = users;
        this.userCount = userCount;
    }

    /** The number of properties, User Properties not counted. */
    public int size() {
        return size;
    }

    public boolean isEmpty() {
        return size == 0 && userCount == 0;
    }

    public int userCount() {
        return userCount;
    }

    /** The User Properties as on the wire, each with its identifier; not to be changed. */
    public byte[] userBytes() {
        return users;
    }

    /** About how many bytes the properties take in memory. */
    public long accountedBytes() {
        long bytes = users.length;
        for (int i = 0; i < size; i++) {
            bytes +=
                    switch (values[i]) {
                        case String text -> ENTRY_BYTES + text.length();
                        case byte[] binary -> ENTRY_BYTES + binary.length;
                        default -> ENTRY_BYTES;
                    };
        }
        return bytes;
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

    /** The User Properties as objects, made anew at each call. */
    public List<UserProperty> userProperties() {
        List<UserProperty> found = new ArrayList<>(userCount);
        int at = 0;
        while (at < users.length) {
            int name = at + 1;
            int value = name + 2 + length(name);
            at = value + 2 + length(value);
            found.add(new UserProperty(text(name), text(value)));
        }
        return found;
    }

    private int length(int at) {
        return (users[at] & 0xFF) << 8 | users[at + 1] & 0xFF;
    }

    private String text(int at) {
        return new String(users, at + 2, length(at), StandardCharsets.UTF_8);
    }

    /** These properties without one of them; this object when it is not there. */
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
        rest.users = users;
        rest.usersLength = users.length;
        rest.userCount = userCount;
        return rest.build();
    }

    /** These properties without the User Properties; this object when there are none. */
    public Properties withoutUsers() {
        return userCount == 0 ? this : new Properties(keys, values, size, NO_BYTES, 0);
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
        if (!(other instanceof Properties that)
                || that.size != size
                || !Arrays.equals(users, that.users)) {
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
        int hash = Arrays.hashCode(users);
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
        for (UserProperty pair : userProperties()) {
            text.append(text.length() == 1 ? "" : ", ").append(pair);
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
        private byte[] users = NO_BYTES;
        private int usersLength;
        private int userCount;

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
            byte[] name = pair.name().getBytes(StandardCharsets.UTF_8);
            byte[] value = pair.value().getBytes(StandardCharsets.UTF_8);
            if (name.length > 0xFFFF || value.length > 0xFFFF) {
                throw new IllegalArgumentException("a User Property of more than 65 535 bytes");
            }
            int at = roomForUser(1 + 2 + name.length + 2 + value.length);
            users[at] = (byte) Property.USER_PROPERTY.id();
            sized(sized(at + 1, name), value);
            return this;
        }

        private int sized(int at, byte[] bytes) {
            users[at] = (byte) (bytes.length >> 8);
            users[at + 1] = (byte) bytes.length;
            System.arraycopy(bytes, 0, users, at + 2, bytes.length);
            return at + 2 + bytes.length;
        }

        /**
         * Adds a User Property as it stands on the wire, its identifier included.
         *
         * @param from where it begins; checked by the caller
         */
        public Builder addUser(ByteBuf in, int from, int length) {
            in.getBytes(from, users(length), usersLength - length, length);
            return this;
        }

        private byte[] users(int more) {
            roomForUser(more);
            return users;
        }

        /** Makes room for a User Property; returns where it goes. */
        private int roomForUser(int bytes) {
            int at = usersLength;
            if (users.length < at + bytes) {
                users = Arrays.copyOf(users, Math.max(at + bytes, 2 * users.length));
            }
            usersLength = at + bytes;
            userCount++;
            return at;
        }

        public Builder user(String name, String value) {
            return add(new UserProperty(name, value));
        }

        public Builder addAll(Properties properties) {
            for (int i = 0; i < properties.size; i++) {
                put(properties.key(i), properties.value(i));
            }
            properties.userProperties().forEach(this::add);
            return this;
        }

        public Properties build() {
            if (size == 0 && userCount == 0) {
                return NONE;
            }
            byte[] exact = users.length == usersLength ? users : Arrays.copyOf(users, usersLength);
            Properties built = new Properties(keys, values, size, exact, userCount);
            keys = NONE.keys;
            values = NONE.values;
            size = 0;
            users = NO_BYTES;
            usersLength = 0;
            userCount = 0;
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
