package io.godwit.core.index;

import io.godwit.core.id.ShardIds;
import io.godwit.core.load.ShardLoad;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.MqttSettings;
import io.godwit.core.shard.Shard;
import java.util.function.Supplier;

/**
 * The collaborators that all subscribing sessions of a shard share.
 *
 * @param index touched on the thread of its own shard only
 * @param younger what has come from other nodes, and may come again
 */
public record SubscribeContext(
        Shard shard,
        ShardIds ids,
        Supplier<IndexOwner> index,
        GroupDirectory groups,
        FilterRequests requests,
        ShardLoad load,
        MqttSettings mqtt,
        LimitSettings limits,
        YoungerSubscriptions younger) {}
