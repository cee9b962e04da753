package io.godwit.extension.packet;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A PUBLISH, or a message that is to be published. Immutable; {@link #change} copies it into a
 * builder.
 */
public final class PublishPacket {
    private final String topic;
    private final int qos;
    private final boolean retain;
    private final boolean dup;
    private final int packetId;
    private final Bytes payload;
    private final boolean payloadIsText;
    private final long expirySeconds;
    private final @Nullable String contentType;
    private final @Nullable String responseTopic;
    private final @Nullable Bytes correlationData;
    private final List<UserProperty> userProperties;

    private PublishPacket(Builder from) {
        this.topic = from.topic;
        this.qos = from.qos;
        this.retain = from.retain;
        this.dup = from.dup;
        this.packetId = from.packetId;
        this.payload = from.payload;
        this.payloadIsText = from.payloadIsText;
        this.expirySeconds = from.expirySeconds;
        this.contentType = from.contentType;
        this.responseTopic = from.responseTopic;
        this.correlationData = from.correlationData;
        this.userProperties = List.copyOf(from.userProperties);
    }

    /** Begins a message of QoS 1 to a topic. */
    public static Builder to(String topic) {
        return new Builder(topic);
    }

    /** Returns a builder with everything that this has. */
    public Builder change() {
        Builder copy = new Builder(topic);
        copy.qos = qos;
        copy.retain = retain;
        copy.dup = dup;
        copy.packetId = packetId;
        copy.payload = payload;
        copy.payloadIsText = payloadIsText;
        copy.expirySeconds = expirySeconds;
        copy.contentType = contentType;
        copy.responseTopic = responseTopic;
        copy.correlationData = correlationData;
        copy.userProperties = userProperties;
        return copy;
    }

    public String topic() {
        return topic;
    }

    /** 0..2. */
    public int qos() {
        return qos;
    }

    public boolean retain() {
        return retain;
    }

    /** Whether it was sent before; false for what an extension publishes. */
    public boolean dup() {
        return dup;
    }

    /** 1..65 535; 0 for QoS 0 and for what an extension publishes. */
    public int packetId() {
        return packetId;
    }

    public Bytes payload() {
        return payload;
    }

    /** Whether the payload is said to be UTF-8 (Payload Format Indicator 1). */
    public boolean payloadIsText() {
        return payloadIsText;
    }

    /** Message Expiry Interval, 0..4 294 967 295 s. */
    public OptionalLong expirySeconds() {
        return expirySeconds < 0 ? OptionalLong.empty() : OptionalLong.of(expirySeconds);
    }

    public Optional<String> contentType() {
        return Optional.ofNullable(contentType);
    }

    public Optional<String> responseTopic() {
        return Optional.ofNullable(responseTopic);
    }

    public Optional<Bytes> correlationData() {
        return Optional.ofNullable(correlationData);
    }

    public List<UserProperty> userProperties() {
        return userProperties;
    }

    @Override
    public String toString() {
        return "PUBLISH to " + topic + ", QoS " + qos + (retain ? ", retained, " : ", ") + payload;
    }

    /**
     * Collects what a message is to be. Whether the broker takes it (topic, sizes, UTF-8) is
     * checked when it is published.
     */
    public static final class Builder {
        private String topic;
        private int qos = 1;
        private boolean retain;
        private boolean dup;
        private int packetId;
        private Bytes payload = Bytes.EMPTY;
        private boolean payloadIsText;
        private long expirySeconds = -1;
        private @Nullable String contentType;
        private @Nullable String responseTopic;
        private @Nullable Bytes correlationData;
        private List<UserProperty> userProperties = List.of();

        private Builder(String topic) {
            this.topic = topic;
        }

        public Builder topic(String value) {
            topic = value;
            return this;
        }

        /**
         * @throws IllegalArgumentException it is not 0..2
         */
        public Builder qos(int value) {
            if (value < 0 || value > 2) {
                throw new IllegalArgumentException("QoS " + value + "; allowed are 0, 1, 2");
            }
            qos = value;
            return this;
        }

        /**
         * Says that a client has sent it: for the broker, and for tests of interceptors. Of what an
         * extension publishes or changes both are ignored.
         *
         * @param id Packet Identifier, 1..65 535; 0 for QoS 0
         * @param again whether the client has sent it before
         */
        public Builder received(int id, boolean again) {
            packetId = id;
            dup = again;
            return this;
        }

        public Builder retain(boolean value) {
            retain = value;
            return this;
        }

        public Builder payload(Bytes value) {
            payload = value;
            return this;
        }

        /** Sets the payload to the UTF-8 of a text, and says so. */
        public Builder text(String value) {
            payload = Bytes.ofText(value);
            payloadIsText = true;
            return this;
        }

        public Builder payloadIsText(boolean value) {
            payloadIsText = value;
            return this;
        }

        /**
         * @throws IllegalArgumentException it is not 0..4 294 967 295
         */
        public Builder expirySeconds(long value) {
            if (value < 0 || value > 4_294_967_295L) {
                throw new IllegalArgumentException(
                        "expiry " + value + " s; allowed is 0..4294967295");
            }
            expirySeconds = value;
            return this;
        }

        public Builder withoutExpiry() {
            expirySeconds = -1;
            return this;
        }

        public Builder contentType(@Nullable String value) {
            contentType = value;
            return this;
        }

        public Builder responseTopic(@Nullable String value) {
            responseTopic = value;
            return this;
        }

        public Builder correlationData(@Nullable Bytes value) {
            correlationData = value;
            return this;
        }

        public Builder userProperties(List<UserProperty> values) {
            userProperties = List.copyOf(values);
            return this;
        }

        public PublishPacket build() {
            return new PublishPacket(this);
        }
    }
}
