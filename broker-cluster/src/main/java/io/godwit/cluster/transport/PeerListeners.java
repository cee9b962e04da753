package io.godwit.cluster.transport;

import java.util.List;

/** Several listeners, told in their order. */
public record PeerListeners(List<PeerListener> all) implements PeerListener {
    public PeerListeners {
        all = List.copyOf(all);
    }

    @Override
    public void onUp(PeerLink link, Resumed resumed) {
        all.forEach(each -> each.onUp(link, resumed));
    }

    @Override
    public void onSilent(PeerLink link) {
        all.forEach(each -> each.onSilent(link));
    }

    @Override
    public void onHeard(PeerLink link) {
        all.forEach(each -> each.onHeard(link));
    }

    @Override
    public void onDown(PeerLink link, List<Unconfirmed> unconfirmed) {
        all.forEach(each -> each.onDown(link, unconfirmed));
    }

    @Override
    public void onRoom(PeerLink link, TrafficClass traffic) {
        for (PeerListener each : all) {
            each.onRoom(link, traffic);
        }
    }
}
