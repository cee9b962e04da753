package io.godwit.core.index;

import io.godwit.core.auth.AccessControl;
import io.godwit.core.id.ShardIds;
import io.godwit.core.load.ShardLoad;
import io.godwit.core.message.CameBefore;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.MqttSettings;
import io.godwit.core.shard.Shard;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The collaborators that all subscribing sessions of a shard share.
 *
 * @param index touched on the thread of its own shard only
 * @param came what has come from other nodes by now, a monotonic time, and may come again; null
 *     when that is nothing
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
        AccessControl accessControl,
        LongFunction<@Nullable CameBefore> came) {}
