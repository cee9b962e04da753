package io.godwit.server.tls;

import java.security.cert.CertPathValidatorException;
import java.security.cert.Certificate;
import java.security.cert.PKIXCertPathChecker;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.Date;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Looks each certificate of a client's path up in the revocation lists, while the JDK validates
 * that path; the authority at its end is trusted as it is.
 */
final class RevocationCheck extends PKIXCertPathChecker {
    private final RevocationLists lists;

    RevocationCheck(RevocationLists lists) {
        this.lists = lists;
    }

    @Override
    public void init(boolean forward) {}

    @Override
    public boolean isForwardCheckingSupported() {
        return true;
    }

    @Override
    public @Nullable Set<String> getSupportedExtensions() {
        return null;
    }

    @Override
    public void check(Certificate certificate, Collection<String> unresolvedExtensions)
            throws CertPathValidatorException {
        String refusal = lists.refusal((X509Certificate) certificate, new Date());
        if (refusal != null) {
            throw new CertPathValidatorException(
                    refusal,
                    null,
                    null,
                    -1,
                    refusal.equals(RevocationLists.REVOKED)
                            ? CertPathValidatorException.BasicReason.REVOKED
                            : CertPathValidatorException.BasicReason
                                    .UNDETERMINED_REVOCATION_STATUS);
        }
    }
}
