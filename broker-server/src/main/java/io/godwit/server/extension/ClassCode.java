package io.godwit.server.extension;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/**
 * Holds what the constant pool of a class file says about other classes (JVMS 4.4).
 *
 * @param name internal, as {@code a/b/C}
 * @param superName internal
 * @param classes internal names of all classes that it names
 * @param members methods and fields of others that it uses
 */
record ClassCode(String name, String superName, List<String> classes, List<Member> members) {
    private static final int MAGIC = 0xCAFEBABE;

    /**
     * @param owner internal name of a class
     * @param descriptor of a method when it begins with {@code (}
     */
    record Member(String owner, String name, String descriptor) {}

    /** Reads all classes in JARs. */
    static List<ClassCode> ofJars(List<Path> jars) throws IOException {
        List<ClassCode> all = new ArrayList<>();
        for (Path jar : jars) {
            try (JarFile file = new JarFile(jar.toFile())) {
                for (JarEntry each : file.stream().toList()) {
                    String name = each.getName();
                    if (name.endsWith(".class")
                            && !name.startsWith("META-INF/")
                            && !name.endsWith("module-info.class")) {
                        all.add(read(name, file.getInputStream(each).readAllBytes()));
                    }
                }
            }
        }
        return all;
    }

    String className() {
        return name.replace('/', '.');
    }

    private static ClassCode read(String entry, byte[] code) throws IOException {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(code))) {
            if (in.readInt() != MAGIC) {
                throw new IOException(entry + " is not a class file");
            }
            in.readInt(); // its version
            Pool pool = new Pool(in);
            in.readUnsignedShort(); // access flags
            String name = pool.className(in.readUnsignedShort());
            int above = in.readUnsignedShort();
            return new ClassCode(
                    name, above == 0 ? "" : pool.className(above), pool.classes(), pool.members());
        }
    }

    /** The constants of one class file. */
    private static final class Pool {
        private final int[] tags;
        private final int[] first;
        private final int[] second;
        private final String[] texts;

        Pool(DataInputStream in) throws IOException {
            int size = in.readUnsignedShort();
            tags = new int[size];
            first = new int[size];
            second = new int[size];
            texts = new String[size];
            for (int i = 1; i < size; i++) {
                tags[i] = in.readUnsignedByte();
                switch (tags[i]) {
                    case 1 -> texts[i] = in.readUTF();
                    case 3, 4 -> in.readInt();
                    case 5, 6 -> { // a long or double takes two places
                        in.readLong();
                        i++;
                    }
                    case 7, 8, 16, 19, 20 -> first[i] = in.readUnsignedShort();
                    case 9, 10, 11, 12, 17, 18 -> {
                        first[i] = in.readUnsignedShort();
                        second[i] = in.readUnsignedShort();
                    }
                    case 15 -> {
                        in.readUnsignedByte();
                        in.readUnsignedShort();
                    }
                    default -> throw new IOException("unknown constant " + tags[i]);
                }
            }
        }

        String className(int index) {
            return texts[first[index]];
        }

        List<String> classes() {
            List<String> names = new ArrayList<>();
            for (int i = 1; i < tags.length; i++) {
                if (tags[i] == 7) {
                    names.add(className(i));
                }
            }
            return names;
        }

        List<Member> members() {
            List<Member> all = new ArrayList<>();
            for (int i = 1; i < tags.length; i++) {
                if (tags[i] >= 9 && tags[i] <= 11) {
                    int nameAndType = second[i];
                    all.add(
                            new Member(
                                    className(first[i]),
                                    texts[first[nameAndType]],
                                    texts[second[nameAndType]]));
                }
            }
            return all;
        }
    }
}
