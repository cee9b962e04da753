package io.godwit.core.codec;

import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;

/** The properties of a PUBLISH value, taken apart as the message path keeps them. */
final class MessageProperties {
    final int[] subscriptionIds;
    final byte[] forwarded;

    MessageProperties(Properties all) {
        subscriptionIds = new int[count(all)];
        int filled = 0;
        for (int i = 0; i < all.size(); i++) {
            if (all.key(i) == Property.SUBSCRIPTION_IDENTIFIER) {
                subscriptionIds[filled++] = (int) (long) (Long) all.value(i);
            }
        }
        Properties rest =
                all.without(Property.SUBSCRIPTION_IDENTIFIER)
                        .without(Property.TOPIC_ALIAS)
                        .without(Property.MESSAGE_EXPIRY_INTERVAL);
        ByteBuf out = Unpooled.buffer();
        PropertiesEncoder.write(out, rest);
        out.skipBytes(VarInt.length(PropertiesEncoder.bodyLength(rest)));
        forwarded = ByteBufUtil.getBytes(out);
    }

    private static int count(Properties all) {
        int count = 0;
        for (int i = 0; i < all.size(); i++) {
            count += all.key(i) == Property.SUBSCRIPTION_IDENTIFIER ? 1 : 0;
        }
        return count;
    }
}
