package io.godwit.server.tls;

import io.godwit.server.config.TlsConfig.IdentitySource;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import javax.naming.NamingException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;

/** Finds the name that a certificate gives to its client. */
final class CertificateNames {
    private static final int LENGTH_MAX = 256;

    /** As RFC 5280 numbers the kinds of alternative names. */
    private static final int EMAIL = 1;

    private static final int DNS = 2;
    private static final int URI = 6;

    /** Attributes that RFC 2253 has no keyword for, and would write as numbers. */
    private static final Map<String, String> KEYWORDS =
            Map.of("1.2.840.113549.1.9.1", "EMAILADDRESS", "2.5.4.5", "SERIALNUMBER");

    private CertificateNames() {}

    /**
     * Returns null when the certificate has no such name, or one that can't name a client: it is
     * longer than 256 characters, or has control characters.
     */
    static @Nullable String of(X509Certificate certificate, IdentitySource source) {
        return usable(
                switch (source) {
                    case NONE -> null;
                    case CN -> commonName(certificate.getSubjectX500Principal());
                    case DN ->
                            certificate
                                    .getSubjectX500Principal()
                                    .getName(X500Principal.RFC2253, KEYWORDS);
                    case SAN_DNS -> alternative(certificate, DNS);
                    case SAN_URI -> alternative(certificate, URI);
                    case SAN_EMAIL -> alternative(certificate, EMAIL);
                });
    }

    private static @Nullable String commonName(X500Principal subject) {
        try {
            List<Rdn> parts = new LdapName(subject.getName(X500Principal.RFC2253)).getRdns();
            for (Rdn part : parts.reversed()) { // the most specific one is the last
                var value = part.toAttributes().get("CN");
                if (value != null) {
                    return value.get() instanceof String text ? text : null;
                }
            }
        } catch (NamingException e) {
            return null;
        }
        return null;
    }

    private static @Nullable String alternative(X509Certificate certificate, int kind) {
        try {
            Collection<List<?>> names = certificate.getSubjectAlternativeNames();
            if (names == null) {
                return null;
            }
            for (List<?> each : names) {
                if (each.get(0).equals(kind)) {
                    return each.get(1) instanceof String text ? text : null;
                }
            }
        } catch (CertificateParsingException e) {
            return null;
        }
        return null;
    }

    private static @Nullable String usable(@Nullable String name) {
        if (name == null || name.isEmpty() || name.length() > LENGTH_MAX) {
            return null;
        }
        boolean isPlain =
                name.codePoints()
                        .noneMatch(each ->
                                Character.isISOControl(each)
                                        || Character.getType(each) == Character.SURROGATE
                                        || each == 0xFFFD);
        return isPlain ? name : null;
    }
}
