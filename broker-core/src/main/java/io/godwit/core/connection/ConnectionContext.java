package io.godwit.core.connection;

import io.godwit.core.auth.Security;
import io.godwit.core.codec.PacketDecoder;
import io.godwit.core.codec.PublishEncoder;
import io.godwit.core.index.FilterDecoding;
import io.godwit.core.index.SubscribeContext;
import io.godwit.core.load.ShardLoad;
import io.godwit.core.publish.PublishContext;
import io.godwit.core.review.Reviews;
import io.godwit.core.session.ClientQuotas;
import io.godwit.core.session.SessionContext;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.MqttSettings;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.shard.PacedTasks;
import io.godwit.core.shard.Shard;
import io.godwit.core.takeover.Takeover;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The collaborators that all connections of a shard share.
 *
 * @param filterDecoding the pace of {@code decoder}
 * @param claims has CONNECTs claim their client ids
 * @param greetings sends CONNACKs, with which sessions begin to send
 * @param gone ends the connections whose sockets are gone
 * @param quotas counts connections
 * @param random for the client ids that the broker assigns
 * @param placement null when this node serves all that connect to it
 */
public record ConnectionContext(
        Shard shard,
        PacketDecoder decoder,
        FilterDecoding filterDecoding,
        PublishEncoder encoder,
        ShardLoad load,
        ConnectRate connectRate,
        PausedConnections paused,
        PartialPackets partial,
        SlowSubscribers slowSubscribers,
        PacedTasks claims,
        PacedTasks greetings,
        PacedTasks gone,
        PublishContext publishing,
        SubscribeContext subscribing,
        SessionContext sessions,
        Takeover takeover,
        MqttSettings mqtt,
        LimitSettings limits,
        OverloadSettings overload,
        Security security,
        ClientQuotas quotas,
        RandomGenerator random,
        ConnectionLog log,
        @Nullable Placement placement,
        Reviews reviews) {

    String randomName() {
        return Long.toHexString(random.nextLong() >>> 1)
                + Long.toHexString(random.nextLong() >>> 1);
    }
}
