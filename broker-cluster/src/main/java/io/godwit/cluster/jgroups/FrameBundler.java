package io.godwit.cluster.jgroups;

import io.godwit.cluster.transport.Transport;
import java.net.ConnectException;
import org.jgroups.Address;
import org.jgroups.Message;
import org.jgroups.protocols.PerDestinationBundler;
import org.jgroups.util.ByteArrayDataOutputStream;

/**
 * Sends a frame on the thread that brings it, which is there to wait for this one peer: a frame
 * fills what is sent at once, and handing it to another thread costs a wake-up for each. All else,
 * also a frame that is sent again, goes by a queue for each destination: acknowledgements come from
 * threads that read, and two nodes that are full of each other's frames would wait for ever if
 * those waited.
 */
public final class FrameBundler extends PerDestinationBundler {
    /** What JGroups puts in front of a frame, at most. */
    private static final int HEADERS_BYTES = 2 << 10;

    private final ThreadLocal<ByteArrayDataOutputStream> written =
            ThreadLocal.withInitial(
                    () -> new ByteArrayDataOutputStream(Transport.FRAME_BYTES + HEADERS_BYTES));

    public FrameBundler() {
        useSingleSenderThread(false); // One that stops must not stop the others.
    }

    @Override
    public void send(Message message) throws Exception {
        if (message instanceof FrameMessage frame && frame.begin()) {
            if (message.getSrc() == null) {
                message.setSrc(local_addr);
            }
            ByteArrayDataOutputStream to = written.get();
            to.position(0);
            sendSingle(message.dest(), message, to);
        } else {
            super.send(message);
        }
    }

    @Override
    protected void sendSingleMessage(Address to, Message message, ByteArrayDataOutputStream written)
            throws Exception {
        try {
            super.sendSingleMessage(to, message, written);
        } catch (ConnectException e) {
            Founding founding = transport.getProtocolStack().findProtocol(Founding.class);
            if (founding != null) {
                founding.onRefused(to);
            }
            throw e;
        }
    }
}
