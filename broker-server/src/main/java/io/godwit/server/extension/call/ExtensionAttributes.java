package io.godwit.server.extension.call;

import io.godwit.extension.client.Client;
import io.godwit.extension.packet.Bytes;
import io.godwit.extension.service.ConnectionAttributes;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Gives extensions the attributes of connections. */
final class ExtensionAttributes implements ConnectionAttributes {
    private final SetUpClients clients;

    ExtensionAttributes(SetUpClients clients) {
        this.clients = clients;
    }

    @Override
    public Optional<Bytes> get(Client client, String name) {
        ClientAttributes of = of(client);
        return of == null ? Optional.empty() : Optional.ofNullable(of.get(name));
    }

    @Override
    public boolean put(Client client, String name, Bytes value) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(value, "value");
        ClientAttributes of = of(client);
        return of != null && of.put(name, value);
    }

    @Override
    public Optional<Bytes> remove(Client client, String name) {
        ClientAttributes of = of(client);
        return of == null ? Optional.empty() : Optional.ofNullable(of.remove(name));
    }

    @Override
    public Map<String, Bytes> all(Client client) {
        ClientAttributes of = of(client);
        return of == null ? Map.of() : of.all();
    }

    private @Nullable ClientAttributes of(Client client) {
        SetUpClient found = clients.find(client);
        return found == null ? null : found.attributes();
    }
}
