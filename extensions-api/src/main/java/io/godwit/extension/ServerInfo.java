package io.godwit.extension;

import java.nio.file.Path;

/**
 * Says which broker an extension runs in.
 *
 * @param version of the broker, as {@code 1.2.3}
 * @param nodeName unique in the cluster
 * @param dataFolder where the node keeps what must not be lost; an extension may have a folder of
 *     its own beside it, not in it
 */
public record ServerInfo(String version, String nodeName, Path dataFolder) {}
