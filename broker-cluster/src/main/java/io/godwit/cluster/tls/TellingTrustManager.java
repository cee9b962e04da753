package io.godwit.cluster.tls;

import io.godwit.core.failure.FileCauses;
import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.function.Consumer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/** Believes whom another one believes, and says in a line who was refused. */
final class TellingTrustManager extends X509ExtendedTrustManager {
    private final X509ExtendedTrustManager judge;
    private final Consumer<String> refused;

    TellingTrustManager(X509ExtendedTrustManager judge, Consumer<String> refused) {
        this.judge = judge;
        this.refused = refused;
    }

    private interface Check {
        void run() throws CertificateException;
    }

    private void judge(X509Certificate[] chain, String where, Check check)
            throws CertificateException {
        try {
            check.run();
        } catch (CertificateException e) {
            String who =
                    chain.length == 0 ? "nobody" : chain[0].getSubjectX500Principal().getName();
            refused.accept(
                    "Refused the certificate of a node at "
                            + where
                            + " ("
                            + who
                            + "): it is not of this cluster's CA, or not valid now: "
                            + FileCauses.text(e.getMessage(), "no cause is known"));
            throw e;
        }
    }

    private static String address(Socket socket) {
        return String.valueOf(socket.getRemoteSocketAddress());
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
            throws CertificateException {
        judge(chain, address(socket), () -> judge.checkClientTrusted(chain, type, socket));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
            throws CertificateException {
        judge(chain, address(socket), () -> judge.checkServerTrusted(chain, type, socket));
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
            throws CertificateException {
        judge(chain, engine.getPeerHost(), () -> judge.checkClientTrusted(chain, type, engine));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
            throws CertificateException {
        judge(chain, engine.getPeerHost(), () -> judge.checkServerTrusted(chain, type, engine));
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type)
            throws CertificateException {
        judge(chain, "?", () -> judge.checkClientTrusted(chain, type));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type)
            throws CertificateException {
        judge(chain, "?", () -> judge.checkServerTrusted(chain, type));
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return judge.getAcceptedIssuers();
    }
}
