package io.godwit.benchmarks.load.cluster;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/** Clients with one subscription each that do nothing. */
final class Crowd implements Closeable {
    private final List<Client> clients = new ArrayList<>();

    Crowd(InetSocketAddress broker, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            Client client = Client.connect(broker, Client.Setup.clean("crowd-" + i));
            clients.add(client);
            client.subscribe(1, "crowd/" + i, 1);
            client.read(Packet.SUBACK);
        }
    }

    int count() {
        return clients.size();
    }

    @Override
    public void close() {
        clients.forEach(Client::close);
    }
}
