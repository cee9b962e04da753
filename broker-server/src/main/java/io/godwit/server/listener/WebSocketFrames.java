package io.godwit.server.listener;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.ssl.SslHandler;
import java.nio.channels.ClosedChannelException;
import java.util.Arrays;

/**
 * WebSocket frames (RFC 6455, 5) around MQTT's bytes. Payload is handed on as it arrives: MQTT
 * packets begin and end anywhere in frames [MQTT-6.0.0-2], so no frame is ever put together. Only
 * binary data is taken [MQTT-6.0.0-1].
 *
 * <p>Most clients put each packet into a frame of its own. So the payloads of one read are unmasked
 * to where they stand side by side, over the headers between them, and handed on in one piece.
 *
 * <pre>
 *  FIN RSV opcode (1 byte) | MASK length7 (1) | length (0, 2 or 8) | mask (4) | payload
 * </pre>
 */
final class WebSocketFrames extends ChannelDuplexHandler {
    private static final int CONTINUATION = 0x0;
    private static final int BINARY = 0x2;
    private static final int TEXT = 0x1;
    private static final int CLOSE = 0x8;
    private static final int PING = 0x9;
    private static final int PONG = 0xA;
    private static final int FIN = 0x80;
    private static final int CONTROL_BYTES_MAX = 125;

    /** The first nine bits of a binary message in one frame: FIN, no RSV, opcode, MASK. */
    private static final int MASKED_MESSAGE = (FIN | BINARY) << 1 | 1;

    /** With a length of two bytes. */
    private static final int ORDINARY_HEADER_BYTES_MAX = 8;

    private static final int STATUS_NORMAL = 1000;
    private static final int STATUS_PROTOCOL_ERROR = 1002;
    private static final int STATUS_UNSUPPORTED_DATA = 1003;
    private static final int STATUS_TOO_BIG = 1009;

    private final long frameBytesMax;

    private final byte[] header = new byte[14];
    private int headerBytes;

    /** Payload bytes of the current frame that have not come; meaningless inside a header. */
    private long remaining;

    /** Payload of this read, unmasked and not handed on: from here ... */
    private int payloadFrom;

    /** ... to here. */
    private int payloadTo;

    private boolean inPayload;
    private boolean inMessage;
    private int mask;
    private byte[] control = {};
    private int controlBytes;
    private boolean pongWritten;
    private boolean closeSent;

    WebSocketFrames(long frameBytesMax) {
        this.frameBytesMax = frameBytesMax;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = (ByteBuf) message;
        try {
            payloadFrom = in.readerIndex();
            payloadTo = payloadFrom;
            while (in.isReadable() && !closeSent) {
                if (!inPayload) {
                    if (!readHeader(in)) {
                        onHeaderByte(ctx, in);
                    }
                } else if ((header[0] & 0x08) == 0) {
                    onData(in);
                } else {
                    onControl(ctx, in);
                }
            }
            handOn(ctx, in);
        } finally {
            in.release();
        }
    }

    private void handOn(ChannelHandlerContext ctx, ByteBuf in) {
        int from = payloadFrom;
        int length = payloadTo - from;
        payloadFrom = payloadTo;
        if (length > 0 && !closeSent) {
            ctx.fireChannelRead(in.retainedSlice(from, length));
        }
    }

    /**
     * Reads the header of an ordinary message that is there whole.
     *
     * @return false for any other, which goes byte by byte
     */
    private boolean readHeader(ByteBuf in) {
        int at = in.readerIndex();
        if (headerBytes > 0 || inMessage || in.readableBytes() < ORDINARY_HEADER_BYTES_MAX) {
            return false;
        }
        int start = in.getUnsignedShort(at);
        int length7 = start & 0x7F;
        int length = length7 == 126 ? in.getUnsignedShort(at + 2) : length7;
        if (start >> 7 != MASKED_MESSAGE
                || length7 == 127
                || length == 0
                || length > frameBytesMax) {
            return false;
        }
        int headerLength = length7 == 126 ? 8 : 6;
        mask = in.getInt(at + headerLength - 4);
        in.skipBytes(headerLength);
        header[0] = (byte) (FIN | BINARY);
        remaining = length;
        inPayload = true;
        return true;
    }

    private void onHeaderByte(ChannelHandlerContext ctx, ByteBuf in) {
        header[headerBytes++] = in.readByte();
        if (headerBytes < 2) {
            return;
        }
        int length7 = header[1] & 0x7F;
        int lengthBytes = length7 == 126 ? 2 : length7 == 127 ? 8 : 0;
        if (headerBytes == 2 && !isAcceptable(ctx, in, header[0] & 0xFF, header[1], length7)) {
            return;
        }
        if (headerBytes < 2 + lengthBytes + 4) {
            return;
        }
        long length = lengthBytes == 0 ? length7 : 0;
        for (int i = 2; i < 2 + lengthBytes; i++) {
            length = length << 8 | header[i] & 0xFF;
        }
        if (length < 0 || length > frameBytesMax) {
            fail(ctx, in, STATUS_TOO_BIG);
            return;
        }
        mask = 0;
        for (int i = 0; i < 4; i++) {
            mask = mask << 8 | header[2 + lengthBytes + i] & 0xFF;
        }
        headerBytes = 0;
        remaining = length;
        inPayload = true;
        int first = header[0] & 0xFF;
        if ((first & 0x08) != 0) {
            control = new byte[(int) length];
            controlBytes = 0;
        } else {
            inMessage = (first & FIN) == 0;
        }
        if (length == 0) {
            endOfFrame(ctx, in);
        }
    }

    /** The rules for the first two bytes; false when the connection is being closed for one. */
    private boolean isAcceptable(
            ChannelHandlerContext ctx, ByteBuf in, int first, byte second, int length7) {
        int opcode = first & 0x0F;
        boolean last = (first & FIN) != 0;
        boolean legal =
                (first & 0x70) == 0 // no extension was agreed on
                        && second < 0 // a client masks
                        && switch (opcode) {
                            case CONTINUATION -> inMessage;
                            case TEXT, BINARY -> !inMessage;
                            case CLOSE, PING, PONG -> last && length7 <= CONTROL_BYTES_MAX;
                            default -> false;
                        };
        if (!legal) {
            fail(ctx, in, STATUS_PROTOCOL_ERROR);
        } else if (opcode == TEXT) {
            legal = false;
            fail(ctx, in, STATUS_UNSUPPORTED_DATA);
        }
        return legal;
    }

    private void onData(ByteBuf in) {
        int count = (int) Math.min(remaining, in.readableBytes());
        unmask(in, count, payloadTo);
        in.skipBytes(count);
        payloadTo += count;
        remaining -= count;
        if (remaining == 0) {
            inPayload = false;
        }
    }

    /**
     * Unmasks the next bytes.
     *
     * @param to where they go: where they are, or before it
     */
    private void unmask(ByteBuf in, int count, int to) {
        int i = in.readerIndex();
        int end = i + count;
        int at = to;
        long mask8 = (mask & 0xFFFF_FFFFL) << 32 | mask & 0xFFFF_FFFFL;
        for (; end - i >= 8; i += 8, at += 8) {
            in.setLong(at, in.getLong(i) ^ mask8);
        }
        for (; i < end; i++, at++) {
            in.setByte(at, in.getByte(i) ^ mask >>> 24);
            mask = Integer.rotateLeft(mask, 8);
        }
    }

    private void onControl(ChannelHandlerContext ctx, ByteBuf in) {
        int count = (int) Math.min(remaining, in.readableBytes());
        unmask(in, count, in.readerIndex());
        in.readBytes(control, controlBytes, count);
        controlBytes += count;
        remaining -= count;
        if (remaining == 0) {
            endOfFrame(ctx, in);
        }
    }

    private void endOfFrame(ChannelHandlerContext ctx, ByteBuf in) {
        inPayload = false;
        switch (header[0] & 0x0F) {
            case PING -> {
                // Who sends pings and reads no pongs gets none: they would only gather here.
                if (ctx.channel().isWritable()) {
                    writeControl(ctx, PONG, control);
                    pongWritten = true;
                }
            }
            case CLOSE -> {
                if (control.length == 1) {
                    fail(ctx, in, STATUS_PROTOCOL_ERROR);
                } else {
                    close(ctx, in, Arrays.copyOf(control, Math.min(control.length, 2)));
                }
            }
            default -> {} // a PONG that nobody asked for, or an empty data frame
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (pongWritten) {
            pongWritten = false;
            ctx.flush();
        }
        ctx.fireChannelReadComplete();
    }

    private static void writeControl(ChannelHandlerContext ctx, int opcode, byte[] payload) {
        ByteBuf frame = ctx.alloc().directBuffer(2 + payload.length);
        frame.writeByte(FIN | opcode).writeByte(payload.length).writeBytes(payload);
        ctx.write(frame, ctx.voidPromise());
    }

    private void sendClose(ChannelHandlerContext ctx, byte[] payload) {
        closeSent = true;
        writeControl(ctx, CLOSE, payload);
        ctx.flush();
    }

    private void fail(ChannelHandlerContext ctx, ByteBuf in, int status) {
        close(ctx, in, new byte[] {(byte) (status >> 8), (byte) status});
    }

    /** Closes after what came before; that may have had us close already. */
    private void close(ChannelHandlerContext ctx, ByteBuf in, byte[] payload) {
        handOn(ctx, in);
        if (!closeSent) {
            sendClose(ctx, payload);
            closeChannel(ctx, ctx.newPromise());
        }
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        ByteBuf payload = (ByteBuf) message;
        if (closeSent) {
            payload.release();
            if (!promise.isVoid()) {
                promise.tryFailure(new ClosedChannelException());
            }
            return;
        }
        int length = payload.readableBytes();
        ByteBuf frame = ctx.alloc().directBuffer(10).writeByte(FIN | BINARY);
        if (length <= 125) {
            frame.writeByte(length);
        } else if (length <= 0xFFFF) {
            frame.writeByte(126).writeShort(length);
        } else {
            frame.writeByte(127).writeLong(length);
        }
        ctx.write(frame, ctx.voidPromise());
        ctx.write(payload, promise);
    }

    @Override
    public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
        if (!closeSent) {
            sendClose(ctx, new byte[] {(byte) (STATUS_NORMAL >> 8), (byte) STATUS_NORMAL});
        }
        closeChannel(ctx, promise);
    }

    private static void closeChannel(ChannelHandlerContext ctx, ChannelPromise promise) {
        if (ctx.pipeline().get(SslHandler.class) == null) {
            OrderlyClose.close(ctx.channel());
            promise.trySuccess();
        } else {
            ctx.close(promise);
        }
    }
}
