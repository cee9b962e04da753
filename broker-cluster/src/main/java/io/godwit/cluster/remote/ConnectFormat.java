package io.godwit.cluster.remote;

import io.godwit.core.connection.AuthenticatedConnect;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;

/** Writes and reads CONNECTs that go from the edge to the leader. */
public interface ConnectFormat {
    void write(AuthenticatedConnect connect, ByteWriter to);

    /**
     * @throws IndexOutOfBoundsException when it is none
     */
    AuthenticatedConnect read(ByteReader from);
}
