package io.godwit.server;

import io.godwit.core.message.Message;
import io.godwit.core.node.RetainedDirectory;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.server.extension.call.ExtensionRetained;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Reads the broker's retained messages for extensions, in pages of a bounded size. */
record RetainedReader(RetainedDirectory retained) implements ExtensionRetained.Reader {
    private static final RetainedDirectory.Bounds PAGE =
            new RetainedDirectory.Bounds(100, 64 << 10);

    @Override
    public CompletableFuture<ExtensionRetained.Found> get(Topic topic) {
        return retained.get(topic).thenApply(RetainedReader::found);
    }

    @Override
    public CompletableFuture<ExtensionRetained.Found> read(
            TopicFilter filter, @Nullable Topic after) {
        return retained.read(filter, after, PAGE).thenApply(RetainedReader::found);
    }

    private static ExtensionRetained.Found found(RetainedDirectory.Some some) {
        return new ExtensionRetained.Found(
                some.messages().stream().map(each -> message(each, some.nowMs())).toList(),
                some.isLast());
    }

    private static ExtensionRetained.RetainedMessage message(Message from, long nowMs) {
        return new ExtensionRetained.RetainedMessage(
                from.topic,
                from.payload,
                from.properties,
                from.qos,
                from.expiresAtMs == Message.NEVER
                        ? -1
                        : Math.max(0, (from.expiresAtMs - nowMs + 500) / 1000));
    }
}
