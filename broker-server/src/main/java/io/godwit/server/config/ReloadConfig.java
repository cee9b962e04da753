package io.godwit.server.config;

/**
 * Says how often files are looked at again while the broker runs ({@code tls.reload}).
 *
 * @param tlsMs between two looks at the files of TLS; 0 = only when somebody asks for it
 */
public record ReloadConfig(long tlsMs) {}
