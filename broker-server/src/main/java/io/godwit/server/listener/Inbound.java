package io.godwit.server.listener;

import io.netty.buffer.ByteBuf;

interface Inbound {
    void onBytes(ByteBuf in);

    void onWritable();

    void onClosed();
}
