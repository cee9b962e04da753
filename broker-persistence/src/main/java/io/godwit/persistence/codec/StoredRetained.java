package io.godwit.persistence.codec;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.operation.Ids;
import io.godwit.core.operation.MessageCodec;
import org.jspecify.annotations.Nullable;

/**
 * What is stored of a topic: its retained message, or that it was deleted, which is a value too
 * where several nodes hold all of them.
 *
 * <pre>
 * stamp 11 | [message with its publisher]      nothing behind the stamp: deleted
 * </pre>
 *
 * @param message null: deleted
 */
public record StoredRetained(HybridId stamp, @Nullable Message message) {
    public static void write(ByteWriter to, HybridId stamp, @Nullable Message message) {
        Ids.hybrid(to, stamp);
        if (message != null) {
            MessageCodec.writeWithPublisher(to, message);
        }
    }

    public static StoredRetained of(byte[] value) {
        ByteReader in = new ByteReader(value);
        HybridId stamp = Ids.hybrid(in);
        return new StoredRetained(stamp, in.isAtEnd() ? null : MessageCodec.read(in));
    }
}
