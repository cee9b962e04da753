package io.godwit.extension.auth;

import io.godwit.extension.access.AccessRules;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Says who a client is and what that grants. Immutable.
 *
 * <p>Limits count in place of those that the broker is configured with, for this client alone, from
 * its CONNECT on. A queue that outlives the connection keeps its limits while the node that leads
 * the session runs; after a restart the configured ones hold until the client is back. A limit that
 * is below what waits already discards nothing: further messages are refused until less waits.
 */
public final class Grant {
    private static final long QUEUE_MESSAGES_MAX = 1_000_000_000_000L;
    private static final long QUEUE_BYTES_MIN = 1L << 10;
    private static final long QUEUE_BYTES_MAX = 1L << 50;
    private static final int CONNECTIONS_MAX = 100_000_000;

    /** Says what happens to a message for a queue that is full. */
    public enum QueueFull {
        /** The new message is discarded, and its publisher acknowledged all the same. */
        DISCARD_NEWEST,

        /** The message that has waited longest is discarded. */
        DISCARD_OLDEST,

        /** The new message is refused: 5.0 publishers get 0x97; older ones are acknowledged. */
        REJECT
    }

    private final @Nullable String userName;
    private final List<String> groups;
    private final Map<String, String> attributes;
    private final @Nullable AccessRules rules;
    private final Duration connectTime;
    private final int receiveMaximum;
    private final int publishRate;
    private final long publishBytes;
    private final long queueMessages;
    private final long queueBytes;
    private final @Nullable QueueFull queueFull;
    private final int connectionsOfUser;
    private final int connectionsOfAddress;

    private Grant(Builder from) {
        this.userName = from.userName;
        this.groups = from.groups;
        this.attributes = from.attributes;
        this.rules = from.rules;
        this.connectTime = from.connectTime;
        this.receiveMaximum = from.receiveMaximum;
        this.publishRate = from.publishRate;
        this.publishBytes = from.publishBytes;
        this.queueMessages = from.queueMessages;
        this.queueBytes = from.queueBytes;
        this.queueFull = from.queueFull;
        this.connectionsOfUser = from.connectionsOfUser;
        this.connectionsOfAddress = from.connectionsOfAddress;
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

    /** QoS 1 and 2 messages that may wait for the client; 0: as the broker is configured. */
    public long queueMessages() {
        return queueMessages;
    }

    /** Bytes of the messages that may wait for the client; 0: as the broker is configured. */
    public long queueBytes() {
        return queueBytes;
    }

    /** What happens when the queue is full; empty: as the broker is configured. */
    public Optional<QueueFull> queueFull() {
        return Optional.ofNullable(queueFull);
    }

    /** Connections that the client's user may have to a node; 0: as the broker is configured. */
    public int connectionsOfUser() {
        return connectionsOfUser;
    }

    /** Connections that the client's address may have to a node; 0: as the broker is configured. */
    public int connectionsOfAddress() {
        return connectionsOfAddress;
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
        private long queueMessages;
        private long queueBytes;
        private @Nullable QueueFull queueFull;
        private int connectionsOfUser;
        private int connectionsOfAddress;

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

        /**
         * Bounds the QoS 1 and 2 messages that wait for the client, those in flight not counted: in
         * place of {@code queues.messages} if its session outlives the connection, else of {@code
         * limits.queue-messages}.
         *
         * @throws IllegalArgumentException it is not 0..1 000 000 000 000
         */
        public Builder queueMessages(long value) {
            if (value < 0 || value > QUEUE_MESSAGES_MAX) {
                throw new IllegalArgumentException(
                        "queue messages " + value + "; allowed is 0.." + QUEUE_MESSAGES_MAX);
            }
            queueMessages = value;
            return this;
        }

        /**
         * Bounds the bytes of those messages: in place of {@code queues.bytes} or {@code
         * limits.queue-bytes}. A message that is larger never waits.
         *
         * @throws IllegalArgumentException it is neither 0 nor 1 KiB..1 PiB
         */
        public Builder queueBytes(long value) {
            if (value != 0 && (value < QUEUE_BYTES_MIN || value > QUEUE_BYTES_MAX)) {
                throw new IllegalArgumentException(
                        "queue bytes "
                                + value
                                + "; allowed is 0, "
                                + QUEUE_BYTES_MIN
                                + ".."
                                + QUEUE_BYTES_MAX);
            }
            queueBytes = value;
            return this;
        }

        /**
         * Says what happens when the queue is full, if the session outlives the connection: in
         * place of {@code queues.policy}. Of other sessions the newest is discarded in any case.
         */
        public Builder queueFull(QueueFull policy) {
            queueFull = policy;
            return this;
        }

        /**
         * Bounds the connections that the client's user may have to a node, this one included: in
         * place of {@code limits.connections-per-user}. Connections of the user that have no such
         * limit are not counted.
         *
         * @throws IllegalArgumentException it is not 0..100 000 000
         */
        public Builder connectionsOfUser(int value) {
            connectionsOfUser = connections("connections of the user", value);
            return this;
        }

        /**
         * Bounds the connections that the client's address (IPv6: its /64) may have to a node, this
         * one included: in place of {@code limits.connections-per-address}. Connections of the
         * address that have no such limit are not counted.
         *
         * @throws IllegalArgumentException it is not 0..100 000 000
         */
        public Builder connectionsOfAddress(int value) {
            connectionsOfAddress = connections("connections of the address", value);
            return this;
        }

        private static int connections(String what, int value) {
            if (value < 0 || value > CONNECTIONS_MAX) {
                throw new IllegalArgumentException(
                        what + " " + value + "; allowed is 0.." + CONNECTIONS_MAX);
            }
            return value;
        }

        public Grant build() {
            return new Grant(this);
        }
    }
}
