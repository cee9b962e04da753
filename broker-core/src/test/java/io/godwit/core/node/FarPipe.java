package io.godwit.core.node;

import io.godwit.core.connection.Placement;
import io.godwit.core.connection.Wire;
import io.godwit.core.connection.WireListener;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A way to another node of which the test sees what goes in. */
final class FarPipe implements Placement.Pipe, WireListener {
    /** All bytes that came from the client, in order. */
    final ByteBuf bytes = Unpooled.buffer();

    /** Calls of this listener but those with bytes. */
    final List<String> heard = new ArrayList<>();

    /** How many times bytes came. */
    int reads;

    /** The client's wire; null before it was opened. */
    @Nullable Wire client;

    @Override
    public WireListener open(Wire wire) {
        client = wire;
        return this;
    }

    @Override
    public void onBytes(ByteBuf in) {
        reads++;
        bytes.writeBytes(in);
    }

    @Override
    public void onWritable() {
        heard.add("writable");
    }

    @Override
    public void onOverdrawn() {
        heard.add("overdrawn");
    }

    @Override
    public void onClosed() {
        heard.add("closed");
    }
}
