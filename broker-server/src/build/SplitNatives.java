import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.Collections;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Copies a jar without its native libraries, and writes one of them to a file of its own. The
 * launcher runs it from this source: {@code java SplitNatives.java JAR COPY LIBRARY FILE}.
 */
final class SplitNatives {
    private static final LocalDateTime PACKED = LocalDateTime.of(2026, 1, 1, 0, 0);

    private SplitNatives() {}

    public static void main(String[] arguments) throws IOException {
        Path copy = Path.of(arguments[1]);
        String library = arguments[2];
        Path file = Path.of(arguments[3]);
        try (ZipFile jar = new ZipFile(arguments[0]);
                ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(copy))) {
            for (ZipEntry entry : Collections.list(jar.entries())) {
                if (entry.getName().equals(library)) {
                    try (InputStream in = jar.getInputStream(entry)) {
                        Files.copy(in, file);
                    }
                }
                if (isNative(entry.getName())) {
                    continue;
                }
                ZipEntry next = new ZipEntry(entry.getName());
                next.setTimeLocal(PACKED);
                out.putNextEntry(next);
                try (InputStream in = jar.getInputStream(entry)) {
                    in.transferTo(out);
                }
                out.closeEntry();
            }
        }
        if (!Files.exists(file)) {
            System.err.println("godwit: " + arguments[0] + " has no " + library);
            System.exit(1);
        }
    }

    private static boolean isNative(String name) {
        return name.endsWith(".so") || name.endsWith(".jnilib") || name.endsWith(".dll");
    }
}
