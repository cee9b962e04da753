package io.godwit.server.config;

import java.nio.file.Path;

/**
 * What is done with the store beside using it ({@code store.*}).
 *
 * @param backupFolder absolute; may not exist yet
 */
public record StoreConfig(Path backupFolder) {}
