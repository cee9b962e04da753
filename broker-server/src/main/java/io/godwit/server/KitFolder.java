package io.godwit.server;

import io.godwit.extension.Extension;
import io.godwit.server.config.ExtensionKeys;
import io.godwit.server.extension.ApiVersion;
import io.godwit.server.extension.command.ExtensionZip;
import io.godwit.testkit.spi.BrokerPlan;
import io.godwit.testkit.spi.PlannedExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The files of a broker that tests extensions.
 *
 * @param ids of the extensions, in the plan's order
 * @param mainClasses by id, of those that are not packed
 */
record KitFolder(List<String> ids, Map<String, Class<? extends Extension>> mainClasses) {
    private static final long BYTES_MAX = 1L << 30;

    /**
     * Makes the folders of the extensions; those of an earlier start stay as they are.
     *
     * @throws StartFailed one of them is none
     */
    static KitFolder fill(BrokerPlan plan) throws StartFailed, IOException {
        Path extensions = Files.createDirectories(extensions(plan));
        List<String> ids = new ArrayList<>();
        Map<String, Class<? extends Extension>> mainClasses = new LinkedHashMap<>();
        for (PlannedExtension each : plan.extensions()) {
            String id = idOf(each);
            if (!ExtensionKeys.isId(id) || ids.contains(id)) {
                throw new StartFailed(
                        "the extension's id '"
                                + id
                                + "' is taken, or not 1 to 64 small letters, digits and hyphens");
            }
            ids.add(id);
            if (each instanceof PlannedExtension.Loaded loaded) {
                mainClasses.put(id, loaded.main());
            }
            Path folder = extensions.resolve(id);
            if (!Files.exists(folder)) {
                fill(folder, each);
            }
        }
        return new KitFolder(List.copyOf(ids), mainClasses);
    }

    private static Path extensions(BrokerPlan plan) {
        return plan.folder().resolve("extensions");
    }

    private static String idOf(PlannedExtension extension) throws StartFailed, IOException {
        return switch (extension) {
            case PlannedExtension.Loaded loaded -> loaded.id();
            case PlannedExtension.Packed packed when Files.isDirectory(packed.place()) ->
                    String.valueOf(packed.place().toAbsolutePath().normalize().getFileName());
            case PlannedExtension.Packed packed when Files.exists(packed.place()) ->
                    new ExtensionZip(packed.place(), BYTES_MAX).id();
            case PlannedExtension.Packed packed ->
                    throw new StartFailed(
                            "there is no extension " + packed.place().toAbsolutePath());
        };
    }

    private static void fill(Path folder, PlannedExtension extension)
            throws StartFailed, IOException {
        switch (extension) {
            case PlannedExtension.Loaded loaded -> {
                Files.createDirectories(folder);
                Map<String, String> descriptor = new LinkedHashMap<>();
                descriptor.put("id", loaded.id());
                descriptor.put("version", "test");
                descriptor.put("api", ApiVersion.OURS.toString());
                descriptor.putAll(loaded.descriptor());
                Files.write(
                        folder.resolve("extension.yaml"),
                        descriptor.entrySet().stream()
                                .map(each -> each.getKey() + ": \"" + each.getValue() + "\"")
                                .toList());
            }
            case PlannedExtension.Packed packed when Files.isDirectory(packed.place()) ->
                    copy(packed.place(), folder);
            case PlannedExtension.Packed packed ->
                    new ExtensionZip(packed.place(), BYTES_MAX).unpack(folder);
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> all = Files.walk(from)) {
            for (Path each : all.toList()) {
                Files.copy(each, to.resolve(from.relativize(each).toString()));
            }
        }
    }

    /** Returns assignments for the configuration; of one key the last one counts. */
    List<String> settings(BrokerPlan plan) {
        List<String> sets = new ArrayList<>();
        sets.add("node.data=" + plan.folder().resolve("data"));
        sets.add("node.name=test");
        sets.add("server.shards=2");
        sets.add("durability.store=" + (plan.isOnDisk() ? "rocksdb" : "memory"));
        sets.add("listeners.mqtt.bind=127.0.0.1:" + plan.port());
        sets.add("listeners.ws.enabled=false");
        sets.add("admin.bind=none");
        sets.add("log.level=warn");
        sets.add("extensions.folder=" + extensions(plan));
        sets.add("extensions.watch=0");
        for (int i = 0; i < ids.size(); i++) {
            String prefix = "extensions." + ids.get(i) + ".";
            sets.add(prefix + "enabled=true");
            sets.add(prefix + "required=true");
            plan.extensions()
                    .get(i)
                    .config()
                    .forEach((key, value) -> sets.add(prefix + "config." + key + "=" + value));
        }
        plan.settings().forEach((key, value) -> sets.add(key + "=" + value));
        return sets;
    }
}
