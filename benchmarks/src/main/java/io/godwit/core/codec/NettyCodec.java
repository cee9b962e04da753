package io.godwit.core.codec;

import io.godwit.core.packet.ProtocolVersion;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.mqtt.MqttDecoder;
import io.netty.handler.codec.mqtt.MqttEncoder;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttVersion;
import io.netty.util.AttributeKey;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;

/**
 * netty-codec-mqtt without a pipeline: its decoder and encoder are called directly, on whole
 * packets, which spares it the replaying buffer, the events and the promises of real use. Strict
 * UTF-8 is on, since ours checks it too.
 */
final class NettyCodec {
    private static final int BYTES_MAX = 1 << 28;
    private static final MethodHandle DECODE;
    private static final MethodHandle ENCODE;

    static {
        try {
            var lookup = MethodHandles.lookup();
            DECODE =
                    MethodHandles.privateLookupIn(MqttDecoder.class, lookup)
                            .findVirtual(
                                    MqttDecoder.class,
                                    "decode",
                                    MethodType.methodType(
                                            void.class,
                                            ChannelHandlerContext.class,
                                            ByteBuf.class,
                                            List.class));
            ENCODE =
                    MethodHandles.privateLookupIn(MqttEncoder.class, lookup)
                            .findStatic(
                                    MqttEncoder.class,
                                    "doEncode",
                                    MethodType.methodType(
                                            ByteBuf.class,
                                            ChannelHandlerContext.class,
                                            MqttMessage.class));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private final MqttDecoder decoder = new MqttDecoder(BYTES_MAX, 0xFFFF, true);
    private final ChannelHandlerContext context;
    private final List<Object> out = new ArrayList<>();

    NettyCodec(ProtocolVersion version) {
        var handler = new ChannelInboundHandlerAdapter();
        EmbeddedChannel channel = new EmbeddedChannel(handler);
        context = channel.pipeline().context(handler);
        channel.config().setAllocator(PooledByteBufAllocator.DEFAULT);
        AttributeKey<MqttVersion> key = AttributeKey.valueOf("NETTY_CODEC_MQTT_VERSION");
        channel.attr(key)
                .set(
                        switch (version) {
                            case MQTT_3_1 -> MqttVersion.MQTT_3_1;
                            case MQTT_3_1_1 -> MqttVersion.MQTT_3_1_1;
                            case MQTT_5 -> MqttVersion.MQTT_5;
                        });
    }

    /** Decodes the next packet. */
    MqttMessage decode(ByteBuf in) {
        out.clear();
        try {
            DECODE.invokeExact(decoder, context, in, out);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
        MqttMessage message = (MqttMessage) out.get(0);
        if (message.decoderResult().isFailure()) {
            throw new IllegalStateException(message.decoderResult().cause());
        }
        return message;
    }

    /** Encodes a packet into a buffer of its own, which the caller releases. */
    ByteBuf encode(MqttMessage message) {
        try {
            return (ByteBuf) ENCODE.invokeExact(context, message);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }
}
