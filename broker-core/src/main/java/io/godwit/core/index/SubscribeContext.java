package io.godwit.core.index;

import io.godwit.core.auth.AccessControl;
import io.godwit.core.id.ShardIds;
import io.godwit.core.load.ShardLoad;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.MqttSettings;
import io.godwit.core.shard.Shard;
import java.util.function.Supplier;

/**
 * What all subscribing sessions of a shard share.
 *
 * @param index on the thread of its own shard
 */
public record SubscribeContext(
        Shard shard,
        ShardIds ids,
        Supplier<IndexOwner> index,
        GroupDirectory groups,
        ShardLoad load,
        MqttSettings mqtt,
        LimitSettings limits,
        AccessControl accessControl) {}
