package io.godwit.server.command;

import io.godwit.server.StartFailed;
import io.godwit.server.config.BindAddress;
import io.godwit.server.config.Config;

/** Where a command finds the admin port of a running broker. */
public final class AdminAddress {
    private AdminAddress() {}

    /** The admin address of the broker that this configuration starts, as {@code host:port}. */
    public static String of(Config config) throws StartFailed {
        BindAddress bind = config.admin().bind();
        if (bind == null || bind.port() == 0) {
            throw new StartFailed(
                    "admin.bind: the broker has no admin port that is known here; --admin names it");
        }
        String host = bind.host();
        boolean isAny = host.isEmpty() || host.equals("0.0.0.0") || host.equals("::");
        return isAny ? "127.0.0.1:" + bind.port() : bind.toString();
    }
}
