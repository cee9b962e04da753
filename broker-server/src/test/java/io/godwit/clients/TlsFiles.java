package io.godwit.clients;

import io.godwit.server.tls.TestCertificates;
import io.godwit.server.tls.TestCertificates.Identity;
import java.nio.file.Path;

/** PEM files made for one run: an authority, and a server certificate of it for 127.0.0.1. */
record TlsFiles(Path authority, Path certificate, Path key) {
    static TlsFiles in(Path folder) {
        Identity authority = TestCertificates.authority("Godwit test authority");
        Identity server = TestCertificates.server(authority);
        return new TlsFiles(
                TestCertificates.writeCertificates(
                        folder.resolve("ca.pem"), authority.certificate()),
                TestCertificates.writeCertificates(
                        folder.resolve("server.pem"), server.certificate()),
                TestCertificates.writeKey(folder.resolve("server.key"), server.key()));
    }
}
