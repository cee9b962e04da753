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
 * @param password null: none was sent; it is shown to authenticators only
 * @param will null: there is none
 * @param authenticationMethod null: none was sent
 * @param authenticationData null: none was sent; it is shown to authenticators only
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

    /** Says neither password nor data. */
    @Override
    public String toString() {
        return "CONNECT of " + clientId + (userName == null ? "" : ", user " + userName);
    }
}
