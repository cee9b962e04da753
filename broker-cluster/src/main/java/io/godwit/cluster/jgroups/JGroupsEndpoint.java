package io.godwit.cluster.jgroups;

import io.godwit.cluster.transport.Endpoint;
import org.jgroups.Address;

/** A member as JGroups names it: new for each start, also on the same address. */
record JGroupsEndpoint(Address address) implements Endpoint {
    @Override
    public String toString() {
        return address.toString();
    }
}
