package io.godwit.server.config;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** {@link ConfigAssembly} for the extensions. */
final class ExtensionsAssembly {
    private final Values values;
    private final ConfigFolders folders;

    ExtensionsAssembly(Values values, ConfigFolders folders) {
        this.values = values;
        this.folders = folders;
    }

    /**
     * @param written in the order of what counts
     */
    ExtensionsConfig assemble(List<Assignment> written) {
        Map<String, List<Assignment>> settings = new LinkedHashMap<>();
        for (Assignment each : written) {
            ExtensionKeys.idOf(each.key())
                    .ifPresent(id -> {
                        List<Assignment> own =
                                settings.computeIfAbsent(id, unused -> new ArrayList<>());
                        if (each.key().startsWith(ExtensionKeys.configPrefix(id))) own.add(each);
                    });
        }
        Map<String, ExtensionsConfig.OfOne> named = new HashMap<>();
        settings.forEach((id, own) -> named.put(id, ofOne(id, own)));
        String folder = values.get(ExtensionKeys.FOLDER);
        return new ExtensionsConfig(
                values.isSet(ExtensionKeys.FOLDER.name())
                        ? folders.resolve(folder)
                        : folders.home().resolve(folder),
                values.get(ExtensionKeys.WATCH),
                named);
    }

    private ExtensionsConfig.OfOne ofOne(String id, List<Assignment> settings) {
        String prefix = ExtensionKeys.PREFIX + id + ".";
        return new ExtensionsConfig.OfOne(
                values.get(prefix, ExtensionKeys.ENABLED),
                values.get(prefix, ExtensionKeys.REQUIRED),
                values.get(prefix, ExtensionKeys.THREADS),
                values.get(prefix, ExtensionKeys.CALL_TIME),
                values.getInt(prefix, ExtensionKeys.WAITING),
                settings,
                Double.parseDouble(values.get(prefix, ExtensionKeys.CPU)));
    }
}
