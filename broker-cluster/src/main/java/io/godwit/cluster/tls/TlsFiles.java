package io.godwit.cluster.tls;

import java.nio.file.Path;

/**
 * What a node shows to the others, and whom it believes ({@code cluster.tls.*}); all PEM.
 *
 * @param ca whose certificates are believed: the cluster's own, and nobody else's
 * @param certificate of this node, then its chain
 * @param key of this node, PKCS#8, without a password
 */
public record TlsFiles(Path ca, Path certificate, Path key) {}
