package io.godwit.cluster.jgroups;

import io.godwit.cluster.ClusterSettings;
import io.godwit.cluster.Discovery;
import io.godwit.cluster.tls.ClusterTls;
import io.godwit.cluster.tls.TlsFiles;
import io.godwit.cluster.transport.Endpoint;
import io.godwit.cluster.transport.Transport;
import io.godwit.cluster.transport.TransportFailure;
import io.godwit.cluster.transport.TransportListener;
import io.godwit.core.failure.FileCauses;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jgroups.Address;
import org.jgroups.Event;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.Receiver;
import org.jgroups.View;
import org.jgroups.protocols.TCP;
import org.jgroups.stack.IpAddress;
import org.jgroups.util.TLS;
import org.jgroups.util.TLSClientAuth;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Frames as messages of one JGroups channel; its view is the hint of who is there. */
public final class JGroupsTransport implements Transport {
    private static final Logger LOG = LoggerFactory.getLogger(JGroupsTransport.class);

    private static final long JOIN_MS = 1_500;

    private final ClusterSettings settings;
    private final String nodeName;
    private final long joinMs;
    private final RefusedCertificates refusedCertificates = new RefusedCertificates();
    private volatile @Nullable JChannel channel;

    /**
     * @param nodeName how the node is called in the logs of others
     */
    public JGroupsTransport(ClusterSettings settings, String nodeName) {
        this(settings, nodeName, JOIN_MS);
    }

    /**
     * @param joinMs who might let this node in is waited for so long
     */
    JGroupsTransport(ClusterSettings settings, String nodeName, long joinMs) {
        this.settings = settings;
        this.nodeName = nodeName;
        this.joinMs = joinMs;
    }

    /** Connections that TLS has refused, here. */
    public long certificatesRefused() {
        return refusedCertificates.count();
    }

    @Override
    public void open(TransportListener listener) throws TransportFailure {
        checkBind(settings);
        JChannel opened = null;
        try {
            byte[] xml = ProtocolStack.xml(settings, joinMs).getBytes(StandardCharsets.UTF_8);
            opened = new JChannel(new ByteArrayInputStream(xml));
            secure(opened);
            opened.name(
                    nodeName
                            + "@"
                            + settings.bind().getAddress().getHostAddress()
                            + ":"
                            + settings.bind().getPort());
            opened.setReceiver(new Inlet(listener, opened));
            opened.connect(group());
            channel = opened;
        } catch (Exception e) { // JChannel declares no other
            if (opened != null) {
                opened.close();
            }
            throw new TransportFailure(
                    "cluster.bind "
                            + settings.bind()
                            + ": can't join cluster '"
                            + settings.name()
                            + "': "
                            + cause(e),
                    e);
        }
    }

    /**
     * What JGroups takes for the cluster: it drops what comes from another one without telling the
     * sender. Who was sent here by its seeds is to hear that it has the wrong {@code cluster.name};
     * in a network where clusters hear each other's multicasts they are none of each other's
     * business.
     */
    private String group() {
        return settings.discovery() == Discovery.MULTICAST ? "godwit-" + settings.name() : "godwit";
    }

    /** The innermost message: JGroups wraps what the operator has to know. */
    private static String cause(Throwable failure) {
        Throwable inner = failure;
        while (inner.getCause() != null && inner.getCause() != inner) {
            inner = inner.getCause();
        }
        return FileCauses.text(inner.getMessage(), "the system does not say why");
    }

    /**
     * Opens the files and judges the address that a start would use; opens no port.
     *
     * @throws TransportFailure when a start would refuse them
     */
    public static void check(ClusterSettings settings) throws TransportFailure {
        checkBind(settings);
        TlsFiles files = settings.tls();
        if (files == null) {
            return;
        }
        try {
            ClusterTls.context(files, line -> {});
        } catch (IOException e) {
            throw new TransportFailure(String.valueOf(e.getMessage()), e);
        }
    }

    private static void checkBind(ClusterSettings settings) throws TransportFailure {
        if (settings.bind().isUnresolved()) {
            throw new TransportFailure(
                    "cluster.bind: '" + settings.bind().getHostString() + "' is not known", null);
        }
        if (settings.bind().getAddress().isAnyLocalAddress()) {
            throw new TransportFailure(
                    "cluster.bind: "
                            + settings.bind()
                            + " is a wildcard; other nodes need an address that they can reach",
                    null);
        }
        if (!settings.bind().getAddress().isLoopbackAddress()
                && settings.tls() == null
                && !settings.insecure()) {
            throw new TransportFailure(
                    "cluster.bind "
                            + settings.bind()
                            + " is reached from outside, and anyone there could read and write every"
                            + " message: set cluster.tls.* ('godwit cluster-cert' makes the files),"
                            + " or cluster.insecure: true",
                    null);
        }
    }

    private void secure(JChannel opened) throws IOException {
        TlsFiles files = settings.tls();
        if (files == null) {
            return;
        }
        TLS tls = ((TCP) opened.getProtocolStack().getTransport()).tls();
        tls.setSSLContext(ClusterTls.context(files, refusedCertificates));
        tls.setProtocols(new String[] {"TLSv1.3"});
        tls.setClientAuth(TLSClientAuth.NEED);
        tls.enabled(true);
    }

    @Override
    public void send(Endpoint to, byte[] frame, int length) {
        JChannel open = channel;
        if (open == null || !(to instanceof JGroupsEndpoint target)) {
            return;
        }
        try {
            open.send(new FrameMessage(target.address(), frame, length));
        } catch (Exception e) { // JChannel declares no other
            LOG.debug("A frame to {} was lost", to, e);
        }
    }

    @Override
    public @Nullable InetSocketAddress address(Endpoint of) {
        JChannel open = channel;
        if (open == null || !(of instanceof JGroupsEndpoint endpoint)) {
            return null;
        }
        Object known = open.down(new Event(Event.GET_PHYSICAL_ADDRESS, endpoint.address()));
        return known instanceof IpAddress address
                ? new InetSocketAddress(address.getIpAddress(), address.getPort())
                : null;
    }

    @Override
    public void close() {
        JChannel open = channel;
        channel = null;
        if (open != null) {
            open.close();
        }
    }

    @Nullable JChannel channel() {
        return channel;
    }

    /** What JGroups calls. */
    private record Inlet(TransportListener listener, JChannel own) implements Receiver {
        @Override
        public void receive(Message message) {
            try {
                listener.onFrame(
                        new JGroupsEndpoint(message.getSrc()),
                        message.getArray(),
                        message.getOffset(),
                        message.getLength());
            } catch (OutOfMemoryError e) {
                // JGroups would only log it, and the frame would be missing.
                Thread thread = Thread.currentThread();
                thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
            }
        }

        @Override
        public void viewAccepted(View view) {
            Address self = own.getAddress();
            Set<Endpoint> others = new LinkedHashSet<>();
            for (Address each : view.getMembers()) {
                if (!each.equals(self)) {
                    others.add(new JGroupsEndpoint(each));
                }
            }
            LOG.debug("View {}", view);
            listener.onEndpoints(others);
        }
    }
}
