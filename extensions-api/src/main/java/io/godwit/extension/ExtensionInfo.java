package io.godwit.extension;

import java.nio.file.Path;

/**
 * Says who an extension is, as its {@code extension.yaml} does.
 *
 * @param id the name of its folder: 1 to 64 small letters, digits and hyphens
 * @param name for people
 * @param version its own version
 * @param author may be empty
 * @param priority extensions with a higher one are asked first
 * @param folder its folder, absolute
 */
public record ExtensionInfo(
        String id, String name, String version, String author, int priority, Path folder) {}
