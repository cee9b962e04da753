package io.godwit.server.extension.command;

import io.godwit.server.StartFailed;
import io.godwit.server.command.AdminPort;
import io.godwit.server.command.ConfigChoice;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Says which running broker is asked. */
final class BrokerOptions extends ConfigChoice {
    @Option(
            names = "--admin",
            paramLabel = "ADDRESS",
            description =
                    "admin port of the broker (port, host:port or URL), instead of"
                            + " admin.bind; it receives admin.token, if one is set")
    private @Nullable String admin;

    AdminPort port() throws StartFailed {
        return AdminPort.of(config(), admin);
    }
}
