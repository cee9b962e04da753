package io.godwit.server.config;

import java.nio.file.Path;

/**
 * This node ({@code node.*}).
 *
 * @param name never empty
 * @param data absolute; may not exist yet
 * @param memoryBytes budget of the whole process; 0 = the container's limit, else half of the
 *     machine
 */
public record NodeConfig(String name, Path data, long memoryBytes) {}
