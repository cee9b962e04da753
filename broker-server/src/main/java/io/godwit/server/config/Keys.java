package io.godwit.server.config;

import java.util.List;
import java.util.stream.Stream;

/**
 * All keys but those of a listener ({@link ListenerKeys}) and of an extension ({@link
 * ExtensionKeys}), in the order of the file. A key is declared in the part that is named after its
 * section; what is about durable sessions, their queues and their store stands in {@link
 * StoreKeys}.
 */
final class Keys {
    static final List<Key<?>> ALL =
            Stream.of(
                            NodeKeys.ALL,
                            SecurityKeys.ALL,
                            UsersKeys.ALL,
                            ClusterKeys.ALL,
                            MqttKeys.ALL,
                            LimitKeys.ALL,
                            OverloadKeys.ALL,
                            StoreKeys.ALL,
                            ExtensionKeys.ALL)
                    .<Key<?>>flatMap(List::stream)
                    .toList();

    private Keys() {}
}
