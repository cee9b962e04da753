package io.godwit.extension.client;

import io.godwit.extension.Preview;
import io.godwit.extension.packet.MqttVersion;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A client whose identity is known, on one connection; or, to interceptors, an extension that has
 * published a message.
 *
 * @param clientId empty: it is {@linkplain #isExtension an extension}
 * @param userName null: anonymous
 * @param groups that its authenticator has put the user into
 * @param attributes that its authenticator has given to the client
 */
public record Client(
        String clientId,
        MqttVersion version,
        @Nullable String userName,
        List<String> groups,
        Map<String, String> attributes,
        Origin origin) {
    public Client {
        groups = List.copyOf(groups);
        attributes = Map.copyOf(attributes);
    }

    /**
     * Whether it stands for an extension that has published a message to be intercepted: its client
     * id and address are empty, it is anonymous, and {@link Origin#listener} is {@code extension:}
     * with the extension's id.
     */
    @Preview
    public boolean isExtension() {
        return clientId.isEmpty();
    }
}
