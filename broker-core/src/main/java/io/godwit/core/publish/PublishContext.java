package io.godwit.core.publish;

import io.godwit.core.id.ShardIds;
import io.godwit.core.load.ShardLoad;
import io.godwit.core.review.Reviews;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.MqttSettings;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.shard.Shard;

/**
 * The collaborators that all publishing connections of a shard share.
 *
 * @param serverId server id of this node, the first half of each ingress id
 */
public record PublishContext(
        Shard shard,
        Router router,
        ShardIds ids,
        int serverId,
        ShardLoad load,
        MqttSettings mqtt,
        LimitSettings limits,
        OverloadSettings overload,
        Reviews reviews) {}
