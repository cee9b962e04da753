package io.godwit.server.client;

import io.godwit.server.Causes;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Collection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Encrypts a client's connection.
 *
 * @param ca PEM file of the certificate authorities that are trusted; null = those of the JDK
 * @param insecure whether any certificate is accepted, under any name
 */
record ClientTls(@Nullable Path ca, boolean insecure) {

    /** Wraps a connected socket, and does the handshake. */
    Socket wrap(Socket socket, String host, int port) throws IOException, ClientFailed {
        SSLSocket encrypted =
                (SSLSocket) context().getSocketFactory().createSocket(socket, host, port, true);
        if (!insecure) {
            SSLParameters parameters = encrypted.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            encrypted.setSSLParameters(parameters);
        }
        encrypted.startHandshake();
        return encrypted;
    }

    private SSLContext context() throws ClientFailed {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw ClientFailed.finalOne("TLS is not available: " + Causes.of(e));
        }
    }

    private TrustManager @Nullable [] trust() throws ClientFailed, GeneralSecurityException {
        if (insecure) return new TrustManager[] {new TrustAnyone()};
        if (ca == null) return null;
        try (InputStream in = Files.newInputStream(ca)) {
            Collection<? extends Certificate> all =
                    CertificateFactory.getInstance("X.509").generateCertificates(in);
            if (all.isEmpty()) throw ClientFailed.finalOne("--ca: no certificate is in " + ca);
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            for (Certificate each : all) {
                store.setCertificateEntry("ca" + store.size(), each);
            }
            TrustManagerFactory factory =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(store);
            return factory.getTrustManagers();
        } catch (CertificateException e) {
            throw ClientFailed.finalOne("--ca: " + ca + " is not a PEM file with certificates");
        } catch (IOException e) {
            throw ClientFailed.finalOne("--ca: " + ca + " can't be read: " + Causes.of(e));
        }
    }

    /** Accepts each certificate, for {@code --insecure}. */
    private static final class TrustAnyone extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
