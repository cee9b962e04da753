package io.godwit.core.codec;

import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Any legal set of properties for a packet, in any order. */
final class RandomProperties {
    private final SplittableRandom random;
    private final RandomText text;

    RandomProperties(SplittableRandom random, RandomText text) {
        this.random = random;
        this.text = text;
    }

    /** Each of these or not; User Properties any number of times. */
    Properties of(Property... allowed) {
        List<Property> order = new ArrayList<>();
        boolean isFull = random.nextInt(10) == 0;
        for (Property property : allowed) {
            if (isFull || random.nextInt(4) == 0) {
                order.add(random.nextInt(order.size() + 1), property);
            }
        }
        while (random.nextInt(3) == 0) {
            order.add(random.nextInt(order.size() + 1), Property.USER_PROPERTY);
        }
        Properties.Builder properties = Properties.builder();
        for (Property property : order) {
            add(properties, property);
        }
        return properties.build();
    }

    void add(Properties.Builder properties, Property property) {
        switch (property.type()) {
            case STRING ->
                    properties.add(
                            property,
                            property == Property.RESPONSE_TOPIC
                                    ? text.topic().toString()
                                    : text.string());
            case BINARY -> properties.add(property, text.bytes());
            case STRING_PAIR -> properties.user(text.string(), text.string());
            case BYTE, TWO_BYTES, FOUR_BYTES, VARINT -> properties.add(property, number(property));
        }
    }

    private long number(Property property) {
        long most =
                switch (property.type()) {
                    case BYTE -> 1;
                    case TWO_BYTES -> 0xFFFF;
                    case VARINT -> VarInt.MAX;
                    default -> 0xFFFF_FFFFL;
                };
        boolean isZeroLegal =
                switch (property) {
                    case SUBSCRIPTION_IDENTIFIER,
                            RECEIVE_MAXIMUM,
                            MAXIMUM_PACKET_SIZE,
                            TOPIC_ALIAS ->
                            false;
                    default -> true;
                };
        return switch (random.nextInt(4)) {
            case 0 -> isZeroLegal ? 0 : 1;
            case 1 -> most;
            case 2 -> Math.min(most, 1 + random.nextInt(300));
            default -> 1 + random.nextLong(most);
        };
    }
}
