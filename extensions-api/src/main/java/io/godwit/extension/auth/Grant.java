package io.godwit.extension.auth;

import io.godwit.extension.access.AccessRules;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Says who a client is and what that grants. Immutable. */
public final class Grant {
    private final @Nullable String userName;
    private final List<String> groups;
    private final Map<String, String> attributes;
    private final @Nullable AccessRules rules;
    private final Duration connectTime;
    private final int receiveMaximum;
    private final int publishRate;
    private final long publishBytes;

    private Grant(Builder from) {
        this.userName = from.userName;
        this.groups = from.groups;
        this.attributes = from.attributes;
        this.rules = from.rules;
        this.connectTime = from.connectTime;
        this.receiveMaximum = from.receiveMaximum;
        this.publishRate = from.publishRate;
        this.publishBytes = from.publishBytes;
    }

    /**
     * Begins a grant.
     *
     * @param userName null: the client stays anonymous
     */
    public static Builder to(@Nullable String userName) {
        return new Builder(userName);
    }

    public Optional<String> userName() {
        return Optional.ofNullable(userName);
    }

    public List<String> groups() {
        return groups;
    }

    public Map<String, String> attributes() {
        return attributes;
    }

    /** What the client may do; empty: what {@code security.rules} says. */
    public Optional<AccessRules> rules() {
        return Optional.ofNullable(rules);
    }

    /** After so long the connection ends with 0xA0; zero: never. */
    public Duration connectTime() {
        return connectTime;
    }

    /** Unacknowledged QoS 1 and 2 PUBLISHes of the client; 0: as the broker is configured. */
    public int receiveMaximum() {
        return receiveMaximum;
    }

    /** PUBLISHes that are read per second; 0: as the broker is configured. */
    public int publishRate() {
        return publishRate;
    }

    /** Bytes of PUBLISHes that are read per second; 0: as the broker is configured. */
    public long publishBytes() {
        return publishBytes;
    }

    /** Collects what is granted. */
    public static final class Builder {
        private final @Nullable String userName;
        private List<String> groups = List.of();
        private Map<String, String> attributes = Map.of();
        private @Nullable AccessRules rules;
        private Duration connectTime = Duration.ZERO;
        private int receiveMaximum;
        private int publishRate;
        private long publishBytes;

        private Builder(@Nullable String userName) {
            this.userName = userName;
        }

        /** Puts the user into groups, beside those that {@code security.rules} names. */
        public Builder groups(List<String> names) {
            groups = List.copyOf(names);
            return this;
        }

        /** Gives the client texts; with the groups at most 8 KiB. */
        public Builder attributes(Map<String, String> texts) {
            attributes = Map.copyOf(texts);
            return this;
        }

        /** Says what the client may do, in place of {@code security.rules}. */
        public Builder rules(AccessRules values) {
            rules = values;
            return this;
        }

        /**
         * @throws IllegalArgumentException it is negative
         */
        public Builder connectTime(Duration time) {
            if (time.isNegative()) {
                throw new IllegalArgumentException("connect time " + time);
            }
            connectTime = time;
            return this;
        }

        /**
         * @throws IllegalArgumentException it is not 0..65 535
         */
        public Builder receiveMaximum(int value) {
            if (value < 0 || value > 65_535) {
                throw new IllegalArgumentException(
                        "receive maximum " + value + "; allowed is 0..65535");
            }
            receiveMaximum = value;
            return this;
        }

        /**
         * @throws IllegalArgumentException it is negative
         */
        public Builder publishRate(int messagesPerSecond) {
            if (messagesPerSecond < 0) {
                throw new IllegalArgumentException("publish rate " + messagesPerSecond);
            }
            publishRate = messagesPerSecond;
            return this;
        }

        /**
         * @throws IllegalArgumentException it is negative
         */
        public Builder publishBytes(long bytesPerSecond) {
            if (bytesPerSecond < 0) {
                throw new IllegalArgumentException("publish bytes " + bytesPerSecond);
            }
            publishBytes = bytesPerSecond;
            return this;
        }

        public Grant build() {
            return new Grant(this);
        }
    }
}
