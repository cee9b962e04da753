package io.godwit.extension.packet;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A CONNECT. What only MQTT 5.0 has is as the standard's defaults say for older versions.
 *
 * @param clientId the one that counts: if the client sent none, the broker has given it
 * @param keepAliveSeconds 0..65 535; 0: none
 * @param sessionExpirySeconds 0..4 294 967 295
 * @param userName null: none was sent
 * @param password null: none was sent; it is shown to interceptors and authenticators only
 * @param will null: there is none
 * @param authenticationMethod null: none was sent
 * @param authenticationData null: none was sent; it is shown to interceptors and authenticators
 *     only
 */
public record ConnectPacket(
        MqttVersion version,
        String clientId,
        boolean cleanStart,
        int keepAliveSeconds,
        long sessionExpirySeconds,
        int receiveMaximum,
        @Nullable String userName,
        @Nullable Bytes password,
        @Nullable WillPacket will,
        @Nullable String authenticationMethod,
        @Nullable Bytes authenticationData,
        List<UserProperty> userProperties) {
    public ConnectPacket {
        userProperties = List.copyOf(userProperties);
    }

    /** Returns the password as text, if there is one. */
    public Optional<String> passwordText() {
        return Optional.ofNullable(password).map(Bytes::text);
    }

    /** Returns a builder with everything that this has. */
    public Builder change() {
        return new Builder(this);
    }

    /** Says neither password nor data. */
    @Override
    public String toString() {
        return "CONNECT of " + clientId + (userName == null ? "" : ", user " + userName);
    }

    /** Collects what is to be other than in a CONNECT that is there. */
    public static final class Builder {
        private final ConnectPacket from;
        private String clientId;
        private boolean cleanStart;
        private int keepAliveSeconds;
        private long sessionExpirySeconds;
        private int receiveMaximum;
        private @Nullable String userName;
        private @Nullable Bytes password;
        private @Nullable WillPacket will;
        private List<UserProperty> userProperties;

        private Builder(ConnectPacket from) {
            this.from = from;
            this.clientId = from.clientId;
            this.cleanStart = from.cleanStart;
            this.keepAliveSeconds = from.keepAliveSeconds;
            this.sessionExpirySeconds = from.sessionExpirySeconds;
            this.receiveMaximum = from.receiveMaximum;
            this.userName = from.userName;
            this.password = from.password;
            this.will = from.will;
            this.userProperties = from.userProperties;
        }

        public Builder clientId(String value) {
            clientId = value;
            return this;
        }

        public Builder cleanStart(boolean value) {
            cleanStart = value;
            return this;
        }

        public Builder keepAliveSeconds(int value) {
            keepAliveSeconds = value;
            return this;
        }

        public Builder sessionExpirySeconds(long value) {
            sessionExpirySeconds = value;
            return this;
        }

        public Builder receiveMaximum(int value) {
            receiveMaximum = value;
            return this;
        }

        public Builder userName(@Nullable String value) {
            userName = value;
            return this;
        }

        public Builder password(@Nullable Bytes value) {
            password = value;
            return this;
        }

        public Builder will(@Nullable WillPacket value) {
            will = value;
            return this;
        }

        public Builder userProperties(List<UserProperty> values) {
            userProperties = List.copyOf(values);
            return this;
        }

        public ConnectPacket build() {
            return new ConnectPacket(
                    from.version,
                    clientId,
                    cleanStart,
                    keepAliveSeconds,
                    sessionExpirySeconds,
                    receiveMaximum,
                    userName,
                    password,
                    will,
                    from.authenticationMethod,
                    from.authenticationData,
                    userProperties);
        }
    }
}
