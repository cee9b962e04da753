package io.godwit.cluster.broker;

import io.godwit.core.connection.AuthenticatedConnect;
import io.godwit.core.connection.Placement;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Will;
import io.godwit.core.session.WillKeeper;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Stands for the placement of a shard until that is made: shards are made before the node's part.
 */
final class ShardPlacement implements Placement {
    private @Nullable Placement made;

    /** Called once, before the shards run. */
    void attach(Placement placement) {
        made = placement;
    }

    private Placement made() {
        return Objects.requireNonNull(made);
    }

    @Override
    public Question ask(AuthenticatedConnect connect, Asking asking) {
        return made().ask(connect, asking);
    }

    @Override
    public boolean leads(int slot) {
        return made().leads(slot);
    }

    @Override
    public boolean passEarlierWill(ClientId clientId, Will will, WillKeeper.Passed then) {
        return made().passEarlierWill(clientId, will, then);
    }

    @Override
    public long patienceMs() {
        return made().patienceMs();
    }
}
