package io.godwit.server;

import io.godwit.server.config.Config;
import io.godwit.server.config.ConfigException;

/** Reads the configuration again as at the start. */
interface ConfigSource {
    Config load() throws ConfigException;
}
