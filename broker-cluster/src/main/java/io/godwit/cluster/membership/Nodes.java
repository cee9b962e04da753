package io.godwit.cluster.membership;

import io.godwit.cluster.transport.Forgotten;
import io.godwit.cluster.transport.NodeStart;
import java.util.List;
import java.util.Map;

/**
 * The cluster as this node sees it at a moment; never changes, so any thread may read it.
 *
 * @param self this start of this node
 * @param members every server id that joined and is not forgotten, alive or not, this node too; by
 *     server id
 * @param live those that are heard now, by server id, this node too
 * @param slots of all members
 */
public record Nodes(
        NodeStart self,
        List<Member> members,
        Forgotten forgotten,
        Map<Integer, NodeStart> live,
        Slots slots) {

    public boolean isLive(int server) {
        return live.containsKey(server);
    }

    /** Whether a member that is heard now, or this node, has let clients in. */
    public boolean isServed() {
        return members.stream().anyMatch(each -> each.hasServed() && isLive(each.server()));
    }
}
