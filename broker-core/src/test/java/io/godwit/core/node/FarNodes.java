package io.godwit.core.node;

import io.godwit.core.ack.EveryNode;
import io.godwit.core.ack.Takers;
import io.godwit.core.id.IngressId;
import io.godwit.core.index.FilterSpread;
import io.godwit.core.publish.NodeSender;
import io.godwit.core.store.Confirmations;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A cluster of which a test sees what is sent to the other nodes. */
final class FarNodes implements Cluster {
    /** What the test makes of a call of {@link NodeSender}. */
    interface Calls {
        /**
         * @return its result; null for what {@link NodeSender#ALONE} does
         */
        @Nullable Object onCall(String method, Object[] arguments);
    }

    private final Calls calls;

    /** Tells what followers have confirmed. */
    Confirmations confirmations = Confirmations.NONE;

    FarNodes(Calls calls) {
        this.calls = calls;
    }

    @Override
    public Confirmations confirmations() {
        return confirmations;
    }

    @Override
    public FilterSpread filters() {
        return FilterSpread.NONE;
    }

    @Override
    public NodeSender sender(BrokerShard shard) {
        return (NodeSender)
                Proxy.newProxyInstance(
                        NodeSender.class.getClassLoader(),
                        new Class<?>[] {NodeSender.class},
                        (proxy, method, arguments) -> {
                            Object own = calls.onCall(method.getName(), arguments);
                            return own == null ? method.invoke(NodeSender.ALONE, arguments) : own;
                        });
    }

    @Override
    public void mayBeSentAgain(Set<IngressId> publishes) {}

    @Override
    public EveryNode others() {
        return (from, ingressServer, ingressCounter, rest) -> rest.run();
    }

    @Override
    public void remembered(IngressId publish, Takers by) {}

    @Override
    public List<NodeCounts> counts() {
        return List.of();
    }
}
