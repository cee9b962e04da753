package io.godwit.server.config;

import java.nio.file.Path;

/**
 * This node ({@code node.*}).
 *
 * @param name never empty
 * @param hostName the machine's own
 * @param data absolute; may not exist yet
 * @param memoryBytes budget of the whole process; 0 = the container's limit, else half of the
 *     machine
 */
public record NodeConfig(String name, String hostName, Path data, long memoryBytes) {}
