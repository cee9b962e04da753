package io.godwit.server.extension.call;

import io.godwit.core.auth.Peer;
import io.godwit.core.auth.Subject;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.review.ClientEvents;
import io.godwit.extension.event.ClientListener;
import java.util.List;
import java.util.function.Consumer;

/** Tells extensions what has happened to clients. */
final class ExtensionEvents implements ClientEvents {
    private final List<Target> targets;

    /** A listener of an extension. */
    record Target(ClientListener listener, EventRing ring) {}

    ExtensionEvents(List<Target> targets) {
        this.targets = List.copyOf(targets);
    }

    @Override
    public void refused(ClientId clientId, Peer peer, ReasonCode reason, String text) {
        tell(
                clientId,
                listener ->
                        listener.onRefused(
                                new ClientListener.Refusal(
                                        clientId.toString(),
                                        Packets.origin(peer),
                                        reason.code(),
                                        text)));
    }

    @Override
    public void connected(Subject client, ProtocolVersion version, boolean sessionPresent) {
        tell(
                client.clientId(),
                listener -> listener.onConnected(Packets.client(client, version), sessionPresent));
    }

    @Override
    public void disconnected(
            Subject client, ProtocolVersion version, Cause cause, ReasonCode reason) {
        tell(
                client.clientId(),
                listener ->
                        listener.onDisconnected(
                                Packets.client(client, version),
                                new ClientListener.Disconnect(cause(cause), reason.code())));
    }

    private static ClientListener.Cause cause(Cause cause) {
        return switch (cause) {
            case CLIENT -> ClientListener.Cause.CLIENT;
            case SERVER -> ClientListener.Cause.SERVER;
            case LOST -> ClientListener.Cause.LOST;
        };
    }

    private void tell(ClientId client, Consumer<ClientListener> event) {
        for (Target each : targets) {
            each.ring.offer(CallKind.CLIENT_EVENT, client, () -> event.accept(each.listener));
        }
    }
}
