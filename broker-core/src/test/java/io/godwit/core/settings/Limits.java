package io.godwit.core.settings;

import java.util.function.Consumer;

/** The default {@link LimitSettings} of which a test changes a few. */
public final class Limits {
    public int connections = LimitSettings.DEFAULTS.connections();
    public int connectRate = LimitSettings.DEFAULTS.connectRate();
    public long connectTimeoutMs = LimitSettings.DEFAULTS.connectTimeoutMs();
    public int topicLevels = LimitSettings.DEFAULTS.topicLevels();
    public int subscriptionsPerClient = LimitSettings.DEFAULTS.subscriptionsPerClient();
    public int queueMessages = LimitSettings.DEFAULTS.queueMessages();
    public long queueBytes = LimitSettings.DEFAULTS.queueBytes();
    public int retainedMessages = LimitSettings.DEFAULTS.retainedMessages();
    public long retainedBytes = LimitSettings.DEFAULTS.retainedBytes();
    public long partialBytes = LimitSettings.DEFAULTS.partialBytes();
    public long sessionBytes = LimitSettings.DEFAULTS.sessionBytes();
    public PacketLimits packets = PacketLimits.DEFAULTS;
    public ClientLimits clients = ClientLimits.DEFAULTS;

    private Limits() {}

    public static LimitSettings with(Consumer<Limits> change) {
        Limits l = new Limits();
        change.accept(l);
        return new LimitSettings(
                l.connections,
                l.connectRate,
                l.connectTimeoutMs,
                l.topicLevels,
                l.subscriptionsPerClient,
                l.queueMessages,
                l.queueBytes,
                l.retainedMessages,
                l.retainedBytes,
                l.partialBytes,
                l.sessionBytes,
                l.packets,
                l.clients);
    }
}
