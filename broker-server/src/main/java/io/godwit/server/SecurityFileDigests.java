package io.godwit.server;

import io.godwit.cluster.stream.SecurityDigests;
import io.godwit.server.config.Config;
import io.godwit.server.config.ListenerConfig;
import io.godwit.server.listener.Listeners;
import io.godwit.server.rules.ActiveRules;
import io.godwit.server.security.users.Users;
import io.godwit.server.tls.ListenerTls;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.jspecify.annotations.Nullable;

/** Finds out the digests of the files that say who comes in, for other nodes to compare. */
final class SecurityFileDigests {
    private SecurityFileDigests() {}

    static SecurityDigests of(
            Config config,
            @Nullable Users users,
            @Nullable ActiveRules rules,
            Listeners listeners) {
        StringBuilder authorities = new StringBuilder();
        for (ListenerConfig each : config.listeners()) {
            ListenerTls tls = listeners.tls(each.name());
            if (tls != null && !tls.authorities().isEmpty()) {
                authorities.append(each.name()).append(tls.authorities());
            }
        }
        return new SecurityDigests(
                users == null ? 0 : users.fileDigest(),
                rules == null ? 0 : rules.fileDigest(),
                authorities.isEmpty() ? 0 : digest(authorities.toString()));
    }

    private static long digest(String text) {
        try {
            byte[] bytes =
                    MessageDigest.getInstance("SHA-256")
                            .digest(text.getBytes(StandardCharsets.UTF_8));
            return ByteBuffer.wrap(bytes).getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JVM has no SHA-256", e);
        }
    }
}
