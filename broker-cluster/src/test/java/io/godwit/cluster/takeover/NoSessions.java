package io.godwit.cluster.takeover;

import io.godwit.core.packet.ClientId;
import java.util.List;

/** Takes note of nothing that is asked of it. */
class NoSessions implements LocalSessions {
    @Override
    public void make(ClientId clientId, ClaimId claim, long changes) {}

    @Override
    public void arrive(ClientId clientId, ClaimId claim, long changes, int from, byte[] header) {}

    @Override
    public void takeBack(ClientId clientId, ClaimId claim, long given, long changes) {}

    @Override
    public void outOfReach(ClientId clientId, ClaimId claim) {}

    @Override
    public void offered(ClientId clientId, int from) {}

    @Override
    public void giveUp(
            ClientId clientId,
            ClaimId claim,
            long changes,
            boolean cleanStart,
            List<Former> former) {}

    @Override
    public void giveAgain(ClientId clientId, long changes, ClaimId claim, long next) {}

    @Override
    public void drop(ClientId clientId, long changes) {}

    @Override
    public void dropped(ClientId clientId, Former former) {}

    @Override
    public void lose(ClientId clientId) {}
}
