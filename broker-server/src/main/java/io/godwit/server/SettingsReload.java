package io.godwit.server;

import io.godwit.server.config.ConfigException;
import io.godwit.server.extension.Extensions;
import io.godwit.server.reload.ReloadResult;
import io.godwit.server.reload.Reloadable;
import java.util.concurrent.ExecutionException;

/** Reads the settings of extensions again, and tells those that listen. */
final class SettingsReload implements Reloadable {
    private final ConfigSource source;
    private final Extensions extensions;

    SettingsReload(ConfigSource source, Extensions extensions) {
        this.source = source;
        this.extensions = extensions;
    }

    @Override
    public String name() {
        return "extensions";
    }

    @Override
    public ReloadResult reload() {
        try {
            return extensions.reconfigure(source.load().extensions()).get();
        } catch (ConfigException mistake) {
            return ReloadResult.failed(mistake.problems().getFirst().toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return ReloadResult.failed("the broker is stopping");
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }
}
