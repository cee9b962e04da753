package io.godwit.testkit.spi;

import io.godwit.extension.Extension;
import java.nio.file.Path;
import java.util.Map;

/** An extension that is to run in a broker. */
public sealed interface PlannedExtension {
    /** Its settings, by key. */
    Map<String, String> config();

    /**
     * One whose classes are loaded already.
     *
     * @param descriptor what its {@code extension.yaml} says beside id, version and api
     */
    record Loaded(
            String id,
            Class<? extends Extension> main,
            Map<String, String> descriptor,
            Map<String, String> config)
            implements PlannedExtension {
        public Loaded {
            descriptor = Map.copyOf(descriptor);
            config = Map.copyOf(config);
        }
    }

    /**
     * One that is packed as it is shipped.
     *
     * @param place its folder, or a ZIP with it
     */
    record Packed(Path place, Map<String, String> config) implements PlannedExtension {
        public Packed {
            config = Map.copyOf(config);
        }
    }
}
