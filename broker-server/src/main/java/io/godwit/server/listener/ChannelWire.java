package io.godwit.server.listener;

import io.godwit.core.auth.PeerTls;
import io.godwit.core.connection.CloseCause;
import io.godwit.core.connection.Wire;
import io.godwit.core.connection.WireListener;
import io.godwit.core.metrics.Metric;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.io.IOException;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection: the last handler of the pipeline, for plain TCP the only one. Bytes go straight
 * to the core, and the core's bytes straight to the channel.
 *
 * <p><i>Memory.</i> An idle connection costs this object, its context and Netty's channel; whatever
 * can be asked of the channel or shared is not kept here.
 */
final class ChannelWire extends ChannelInboundHandlerAdapter implements Wire {
    private static final Logger log = LoggerFactory.getLogger(ChannelWire.class);

    private static final X509Certificate[] NO_CERTIFICATES = {};

    private static final int OPEN = -1;

    /** The peer has closed its side: TCP_CLOSE_WAIT of Linux's tcp_states.h. */
    private static final int CLOSE_WAIT = 8;

    /**
     * The most that a buffer takes for each pending byte: 512 for an acknowledgement and its entry.
     */
    private static final long BUFFER_PER_PENDING = 6;

    /**
     * What a shared payload costs each connection: heap of its view and its place in the channel.
     */
    private static final int SHARED_BYTES = 512;

    private final ListenerShard home;
    private @Nullable ChannelHandlerContext context;
    private @Nullable WireListener connection;
    private @Nullable String certificateName;

    /** Whether it stands in the shard's {@link OutboundBacklog}. */
    private boolean slow;

    /** Own buffers made since the socket last had taken everything. */
    private int ownBytes;

    /** Bytes of shared payloads that the socket has not taken. */
    private int sharedBytes;

    /** Bytes discarded since {@link #close}; OPEN before. */
    private int discarded = OPEN;

    ChannelWire(ListenerShard home) {
        this.home = home;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        home.admission().release(Admission.Verdict.ADMITTED);
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        // At the accept, so that the time limit of CONNECT covers the handshakes too.
        connection = home.shard().open(this);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = (ByteBuf) message;
        try {
            WireListener connection = this.connection;
            if (discarded != OPEN) {
                discarded += in.readableBytes();
                if (discarded > OrderlyClose.DISCARDED_BYTES_MAX) {
                    OrderlyClose.now(ctx.channel());
                }
            } else if (connection != null) {
                connection.onBytes(in);
            }
        } catch (Throwable fault) {
            onFault(fault);
        } finally {
            in.release();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (ctx.channel().isWritable()) {
            recount();
            if (home.backlog().admits(this)) {
                writableAgain();
            }
        }
    }

    void writableAgain() {
        WireListener connection = this.connection;
        if (connection != null && discarded == OPEN && channel().isWritable()) {
            try {
                connection.onWritable();
            } catch (Throwable fault) {
                onFault(fault);
            }
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        releaseHeld();
        home.backlog().remove(this);
        TlsClients clients = home.tlsClients();
        if (clients != null) {
            clients.remove(this);
        }
        WireListener connection = this.connection;
        if (connection != null) {
            this.connection = null;
            discarded = 0; // whatever is still written has nowhere to go
            try {
                connection.onClosed();
            } catch (Throwable fault) {
                onFault(fault);
            }
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (cause instanceof OutOfMemoryError) {
            onNoMemory(cause);
        } else if (cause instanceof IOException) {
            log.debug("{} {}: {}", listener(), remoteAddress(), cause.getMessage());
        } else {
            log.debug("{} {} closed", listener(), remoteAddress(), cause);
        }
        OrderlyClose.now(ctx.channel());
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (!(event instanceof SslHandshakeCompletionEvent handshake)) {
            return;
        }
        if (!handshake.isSuccess()) {
            handshakeFailed(TlsFailure.explain(handshake.cause()));
            return;
        }
        try {
            TlsClients clients = home.tlsClients();
            if (clients != null && clients.tls().looksAtClients()) {
                onClientCertificates(clients, clientCertificates());
            }
        } catch (Throwable fault) {
            onFault(fault);
        }
    }

    private void handshakeFailed(String why) {
        home.handshakeFailed(
                context().channel(),
                Metric.HANDSHAKES_FAILED,
                CloseCause.TLS,
                "TLS handshake failed, " + why);
    }

    /**
     * @param chain that the client sent, its own first; verified, but when it continues an earlier
     *     session, that was done then
     */
    private void onClientCertificates(TlsClients clients, X509Certificate[] chain) {
        if (chain.length == 0) {
            return;
        }
        String refusal = clients.tls().refusal(chain);
        if (refusal != null) {
            handshakeFailed(refusal);
            close();
            return;
        }
        certificateName = clients.tls().clientName(chain[0]);
        clients.add(this);
    }

    /** The certificates that the client has shown, its own first; empty when it has none. */
    private X509Certificate[] clientCertificates() {
        SslHandler handler = context().pipeline().get(SslHandler.class);
        if (handler == null) {
            return NO_CERTIFICATES;
        }
        try {
            Certificate[] chain = handler.engine().getSession().getPeerCertificates();
            return Arrays.copyOf(chain, chain.length, X509Certificate[].class);
        } catch (SSLPeerUnverifiedException none) {
            return NO_CERTIFICATES;
        }
    }

    /** Closes the connection when its client's certificate is revoked now, and says so. */
    boolean closeIfRevoked() {
        TlsClients clients = home.tlsClients();
        if (discarded != OPEN
                || clients == null
                || !clients.tls().isRevoked(clientCertificates())) {
            return false;
        }
        home.shard().counters().increment(Metric.CLOSED_REVOKED);
        WireListener connection = this.connection;
        if (connection != null) {
            try {
                connection.onRevoked();
            } catch (Throwable fault) {
                onFault(fault);
            }
        }
        close();
        return true;
    }

    /**
     * Returns how the client uses TLS; where a proxy ends TLS, what that has announced. The name in
     * the certificate ({@code tls.identity}) has up to 256 characters and no control characters.
     */
    @Override
    public PeerTls tls() {
        if (home.tlsClients() == null) {
            ProxiedPeer proxied = proxied();
            return proxied == null ? PeerTls.NONE : proxied.tls();
        }
        SslHandler handler = context().pipeline().get(SslHandler.class);
        if (handler == null) { // The connection has ended.
            return PeerTls.of(null, null, certificateName != null, certificateName);
        }
        SSLSession session = handler.engine().getSession();
        return PeerTls.of(
                session.getProtocol(),
                serverName(session),
                clientCertificates().length > 0,
                certificateName);
    }

    private static @Nullable String serverName(SSLSession session) {
        if (session instanceof ExtendedSSLSession extended) {
            for (SNIServerName each : extended.getRequestedServerNames()) {
                if (each instanceof SNIHostName host) {
                    return host.getAsciiName();
                }
            }
        }
        return null;
    }

    /** A handler before this one found no memory for what the client sends: nothing else did. */
    private void onNoMemory(Throwable cause) {
        home.shard().counters().increment(Metric.CLOSED_MEMORY);
        long count = home.noMemory().due();
        if (count > 0) {
            log.warn(
                    "No memory for data from {}: closing its connection ({} since the last such"
                            + " line): {}",
                    remoteAddress(),
                    count,
                    cause.getMessage());
        }
    }

    /** A bug of ours met this connection: it goes, the others go on. */
    private void onFault(Throwable fault) {
        if (fault instanceof OutOfMemoryError) {
            home.loop().onFault(fault); // It may have met what belongs to others.
            return;
        }
        home.shard().counters().increment(Metric.FAULTS);
        long count = home.faults().due();
        if (count > 0) {
            log.error(
                    "Internal error: closing the connection of {} ({} since the last such line)",
                    remoteAddress(),
                    count,
                    fault);
        }
        OrderlyClose.now(channel());
    }

    private ChannelHandlerContext context() {
        ChannelHandlerContext context = this.context;
        if (context == null) {
            throw new IllegalStateException("not in a pipeline");
        }
        return context;
    }

    private Channel channel() {
        return context().channel();
    }

    /**
     * When there is no memory left it comes from the heap, and it and what follows go nowhere: the
     * connection ends, once whoever wants to send has done so.
     */
    @Override
    public ByteBuf allocate(int bytes) {
        try {
            ByteBuf made = context().alloc().directBuffer(bytes);
            ownBytes += made.capacity();
            home.backlog().count(made.capacity());
            return made;
        } catch (OutOfMemoryError e) {
            endSoon();
            return Unpooled.buffer(bytes);
        }
    }

    private void endSoon() {
        if (discarded == OPEN) {
            discarded = 0;
            context().executor().execute(this::overdrawn);
        }
    }

    @Override
    public void write(ByteBuf bytes) {
        if (discarded == OPEN) {
            ChannelHandlerContext context = context();
            context.write(bytes, context.voidPromise());
        } else {
            bytes.release();
        }
    }

    /**
     * TLS makes bytes of each connection's own of them anyway: so they count, and are no copy's.
     */
    @Override
    public void write(byte[] bytes, int from, int length) {
        if (home.type().encrypted()) {
            write(allocate(length).writeBytes(bytes, from, length));
        } else if (discarded == OPEN) {
            writeShared(bytes, from, length);
        }
    }

    private void writeShared(byte[] bytes, int from, int length) {
        ChannelHandlerContext context = context();
        ByteBuf copy;
        try {
            copy = home.backlog().copies().of(context.alloc(), bytes, from, length);
        } catch (OutOfMemoryError e) {
            endSoon();
            return;
        }
        sharedBytes += length;
        home.backlog().count(SHARED_BYTES);
        context.write(copy, context.newPromise().addListener(taken -> onTaken(length)));
    }

    private void onTaken(int length) {
        sharedBytes -= length;
        home.backlog().count(-SHARED_BYTES);
    }

    @Override
    public void flush() {
        context().flush();
        if (pendingBytes() == 0) {
            releaseHeld();
        } else if (!slow) {
            slow = true;
            home.backlog().add(this);
        }
    }

    /**
     * Bytes that the outgoing buffers take, those of this turn included, and with those that others
     * may hold as well.
     */
    int heldBytes() {
        return ownBytes + sharedBytes;
    }

    /** Looks at what the socket has taken since. @return whether that is everything */
    boolean recount() {
        long pending = pendingBytes();
        if (pending == 0) {
            releaseHeld();
            return true;
        }
        // Small packets stand in buffers that are larger; how much of what was made is free again
        // is not known, so the count is left high until little is pending.
        long own = Math.max(0, pending - sharedBytes);
        holdOwn((int) Math.min(ownBytes, BUFFER_PER_PENDING * own));
        return false;
    }

    private void releaseHeld() {
        holdOwn(0);
    }

    private void holdOwn(int bytes) {
        if (bytes != ownBytes) {
            home.backlog().count(bytes - ownBytes);
            ownBytes = bytes;
        }
    }

    /**
     * Ends the connection at once: it holds most of what there is, or its buffer could not be made.
     */
    void overdrawn() {
        WireListener connection = this.connection;
        if (connection != null) {
            try {
                connection.onOverdrawn();
            } catch (Throwable fault) {
                onFault(fault);
            }
        }
        releaseHeld();
        OrderlyClose.now(channel());
    }

    void caughtUp() {
        slow = false;
    }

    @Override
    public boolean isWritable() {
        return channel().isWritable() && home.backlog().admits(this);
    }

    @Override
    public long pendingBytes() {
        ChannelOutboundBuffer pending = channel().unsafe().outboundBuffer();
        return pending == null ? 0 : pending.totalPendingWriteBytes();
    }

    @Override
    public void read(boolean wanted) {
        if (discarded == OPEN) {
            channel().config().setAutoRead(wanted);
        }
    }

    @Override
    public void replaceListener(WireListener next) {
        if (connection == null) {
            next.onClosed();
        } else {
            connection = next;
        }
    }

    @Override
    public void close() {
        if (discarded != OPEN) {
            return;
        }
        discarded = 0;
        if (home.plain()) {
            OrderlyClose.close(channel());
        } else {
            // The handlers before this one say good-bye in their own way; what they have not
            // encrypted by then is lost.
            context().flush();
            context().close();
        }
    }

    /** Epoll tells when the peer has closed only by reading up to there, so the kernel is asked. */
    @Override
    public boolean isPeerGone() {
        return discarded == OPEN
                && channel() instanceof EpollSocketChannel socket
                && socket.isOpen()
                && socket.tcpInfo().state() == CLOSE_WAIT;
    }

    @Override
    public String remoteAddress() {
        return Addresses.text(ProxiedPeer.addressOf(channel()));
    }

    /** Returns what a proxy announces of the client; null unless the connection came by one. */
    @Nullable ProxiedPeer proxied() {
        return ProxiedPeer.of(channel());
    }

    @Override
    public boolean isLoopback() {
        return proxied() == null
                && Addresses.isSameMachine(channel().remoteAddress(), channel().localAddress());
    }

    @Override
    public String listener() {
        return home.listener();
    }
}
