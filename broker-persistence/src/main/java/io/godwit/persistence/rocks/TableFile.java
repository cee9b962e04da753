package io.godwit.persistence.rocks;

import io.godwit.persistence.disk.Family;

/**
 * A table file that the database knows.
 *
 * @param name within the folder
 * @param smallest its first key
 * @param largest its last key
 */
public record TableFile(
        String name, Family family, int level, byte[] smallest, byte[] largest, long entries) {}
