package io.godwit.server.tls;

import io.godwit.server.StartFailed;
import io.godwit.server.config.TlsConfig;
import java.security.GeneralSecurityException;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;

/**
 * Certificate revocation lists whose signatures were verified when they were read, by authority.
 * Never changed, any thread.
 */
final class RevocationLists {
    static final String REVOKED = "the certificate was revoked";
    static final String NO_LIST = "tls.client-crl has no list of the certificate's authority";
    static final String OUT_OF_DATE = "the revocation list of its authority is out of date";

    private final Map<X500Principal, List<X509CRL>> byAuthority = new HashMap<>();
    private final boolean isExpiredAccepted;

    /**
     * @param authorities one of them must have signed each list
     */
    RevocationLists(
            List<PemFile> files, X509Certificate[] authorities, TlsConfig.ExpiredCrl expired)
            throws StartFailed {
        isExpiredAccepted = expired == TlsConfig.ExpiredCrl.ACCEPT;
        for (PemFile file : files) {
            for (X509CRL list : file.revocationLists()) {
                requireSigned(file, list, authorities);
                byAuthority
                        .computeIfAbsent(list.getIssuerX500Principal(), name -> new ArrayList<>())
                        .add(list);
            }
        }
    }

    private static void requireSigned(PemFile file, X509CRL list, X509Certificate[] authorities)
            throws StartFailed {
        boolean isNamed = false;
        for (X509Certificate each : authorities) {
            if (!each.getSubjectX500Principal().equals(list.getIssuerX500Principal())) {
                continue;
            }
            isNamed = true;
            try {
                list.verify(each.getPublicKey());
                return;
            } catch (GeneralSecurityException e) {
                // Another authority may have the same name.
            }
        }
        String authority = list.getIssuerX500Principal().getName();
        throw file.problem(
                isNamed
                        ? "holds a revocation list that the key of " + authority + " did not sign"
                        : "holds a revocation list of "
                                + authority
                                + ", which is not in tls.client-ca",
                null);
    }

    /** Says why a client with this certificate is refused; null when it is not. */
    @Nullable String refusal(X509Certificate certificate, Date now) {
        List<X509CRL> lists = byAuthority.get(certificate.getIssuerX500Principal());
        if (lists == null) {
            return NO_LIST;
        }
        if (isIn(lists, certificate)) {
            return REVOKED;
        }
        return isExpiredAccepted || isAnyCurrent(lists, now) ? null : OUT_OF_DATE;
    }

    /** Whether a list names the certificate, be the list out of date or not. */
    boolean isRevoked(X509Certificate certificate) {
        List<X509CRL> lists = byAuthority.get(certificate.getIssuerX500Principal());
        return lists != null && isIn(lists, certificate);
    }

    private static boolean isIn(List<X509CRL> lists, X509Certificate certificate) {
        for (X509CRL each : lists) {
            if (each.getRevokedCertificate(certificate) != null) {
                return true;
            }
        }
        return false;
    }

    private static boolean isAnyCurrent(List<X509CRL> lists, Date now) {
        for (X509CRL each : lists) {
            if (each.getNextUpdate() == null || !now.after(each.getNextUpdate())) {
                return true;
            }
        }
        return false;
    }

    /** A sentence for each authority whose clients are refused because its lists are too old. */
    List<String> outOfDate(Date now) {
        List<String> sentences = new ArrayList<>();
        byAuthority.forEach((authority, lists) -> {
            if (!isExpiredAccepted && !isAnyCurrent(lists, now)) {
                sentences.add(
                        "the revocation list of "
                                + authority.getName()
                                + " is out of date: its clients are refused"
                                + " (tls.client-crl-expired)");
            }
        });
        return sentences;
    }
}
