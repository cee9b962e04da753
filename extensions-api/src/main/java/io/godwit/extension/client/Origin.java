package io.godwit.extension.client;

import org.jspecify.annotations.Nullable;

/**
 * Says where a connection comes from.
 *
 * @param address of the client, as {@code 10.0.0.1:50412} or {@code [::1]:50412}; by a trusted
 *     proxy as that announced it
 * @param listener the name of the listener in the configuration
 * @param hasCertificate whether the client has shown a certificate that was verified
 * @param certificateName the name in it, by the listener's {@code tls.identity}; null: none
 */
public record Origin(
        String address,
        String listener,
        boolean hasCertificate,
        @Nullable String certificateName) {}
