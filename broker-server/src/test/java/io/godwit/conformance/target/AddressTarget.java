package io.godwit.conformance.target;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** Any broker that runs already. */
final class AddressTarget implements Target {
    private final Map<String, InetSocketAddress> addresses = new HashMap<>();

    AddressTarget(String spec) {
        for (String entry : spec.split(",", -1)) {
            int equals = entry.indexOf('=');
            String name = equals < 0 ? "default" : entry.substring(0, equals);
            String[] hostPort = entry.substring(equals + 1).split(":", -1);
            addresses.put(name, new InetSocketAddress(hostPort[0], Integer.parseInt(hostPort[1])));
        }
    }

    @Override
    public InetSocketAddress tcp(Profile profile) {
        return address(profile.name().toLowerCase(Locale.ROOT));
    }

    @Override
    public InetSocketAddress webSocket(Profile profile) {
        return address("ws");
    }

    @Override
    public Duration patience() {
        return Duration.ofSeconds(3);
    }

    @Override
    public void close() {}

    private InetSocketAddress address(String name) {
        var address = addresses.getOrDefault(name, addresses.get("default"));
        if (address == null) {
            throw new IllegalArgumentException("no address for " + name);
        }
        return address;
    }
}
