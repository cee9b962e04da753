package io.godwit.server.extension.command;

import io.godwit.server.StartFailed;
import io.godwit.server.config.ExtensionKeys;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/** Unpacks an extension: a ZIP with one folder, which is named by the extension's id. */
public final class ExtensionZip {
    private static final int ENTRIES_MAX = 10_000;
    private static final int BUFFER = 1 << 16;

    private final Path zip;
    private final long bytesMax;

    /**
     * @param bytesMax that all its files may have, unpacked
     */
    public ExtensionZip(Path zip, long bytesMax) {
        this.zip = zip;
        this.bytesMax = bytesMax;
    }

    /**
     * Reads the id, and checks all names.
     *
     * @throws StartFailed it is not such a ZIP
     */
    public String id() throws StartFailed, IOException {
        try (ZipFile file = new ZipFile(zip.toFile())) {
            Set<String> folders = new TreeSet<>();
            for (ZipEntry each : entries(file)) {
                folders.add(checked(each.getName()));
            }
            if (folders.size() != 1 || !ExtensionKeys.isId(folders.iterator().next())) {
                throw new StartFailed(
                        zip
                                + " must have one folder, named by the extension's id, with all files"
                                + " in it; it has "
                                + folders);
            }
            return folders.iterator().next();
        }
    }

    private List<? extends ZipEntry> entries(ZipFile file) throws StartFailed {
        if (file.size() > ENTRIES_MAX) {
            throw new StartFailed(zip + " has more than " + ENTRIES_MAX + " files");
        }
        return file.stream().toList();
    }

    /** Returns the first part of a name, none of whose parts leads out of the folder. */
    private String checked(String name) throws StartFailed {
        String[] parts = name.split("/", -1);
        for (int i = 0; i < parts.length; i++) {
            boolean isEnd = i == parts.length - 1 && name.endsWith("/");
            boolean isBad =
                    parts[i].isEmpty() && !isEnd
                            || parts[i].equals(".")
                            || parts[i].equals("..")
                            || parts[i].chars().anyMatch(c -> c == '\\' || c == ':' || c < ' ');
            if (isBad) {
                throw new StartFailed(zip + ": the name '" + name + "' is not allowed in it");
            }
        }
        return parts[0];
    }

    /** Unpacks the files below the ZIP's only folder into a folder that is new. */
    public void unpack(Path target) throws StartFailed, IOException {
        Files.createDirectories(target);
        long left = bytesMax;
        try (ZipFile file = new ZipFile(zip.toFile())) {
            for (ZipEntry each : entries(file)) {
                checked(each.getName());
                String below = each.getName().substring(each.getName().indexOf('/') + 1);
                Path to = target.resolve(below);
                if (each.isDirectory()) {
                    Files.createDirectories(to);
                    continue;
                }
                @Nullable Path above = to.getParent();
                if (above != null) {
                    Files.createDirectories(above);
                }
                left = copy(file, each, to, left);
            }
        }
    }

    /** A ZIP may lie about sizes: what is written is counted. */
    private long copy(ZipFile file, ZipEntry entry, Path to, long bytesLeft)
            throws StartFailed, IOException {
        long left = bytesLeft;
        byte[] buffer = new byte[BUFFER];
        try (InputStream in = file.getInputStream(entry);
                OutputStream out = Files.newOutputStream(to)) {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                left -= read;
                if (left < 0) {
                    throw new StartFailed(
                            zip + " has more than " + bytesMax + " bytes when it is unpacked");
                }
                out.write(buffer, 0, read);
            }
        }
        return left;
    }
}
