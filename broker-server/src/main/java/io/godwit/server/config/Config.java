package io.godwit.server.config;

import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.MqttSettings;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.settings.QueueSettings;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Everything the operator chose, checked; fixed at start.
 *
 * @param listeners the enabled ones, in the order of the file; never empty
 */
public record Config(
        NodeConfig node,
        ServerConfig server,
        List<ListenerConfig> listeners,
        SecurityConfig security,
        AdminConfig admin,
        LogConfig log,
        SysConfig sys,
        StopConfig stop,
        SessionConfig session,
        ClusterConfig cluster,
        MqttSettings mqtt,
        LimitSettings limits,
        OverloadSettings overload,
        DurabilityConfig durability,
        StoreConfig store,
        QueueSettings queues,
        ReloadConfig reload,
        ExtensionsConfig extensions) {
    public Config {
        listeners = List.copyOf(listeners);
    }

    /** Returns the names of the enabled listeners. */
    public Set<String> listenerNames() {
        return listeners.stream().map(ListenerConfig::name).collect(Collectors.toSet());
    }
}
