package io.godwit.server.extension;

import io.godwit.extension.ExtensionInfo;
import io.godwit.server.config.Assignment;
import io.godwit.server.config.ConfigProblem;
import io.godwit.server.config.ExtensionKeys;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Says what {@code extension.yaml} says.
 *
 * @param api the least version of the API that it needs
 * @param startPriority extensions with a higher one are started first
 * @param needs ids of those that must run before it starts
 * @param threads a number or {@code virtual}
 * @param required the broker does not start without it
 * @param isStopFirst the old one is stopped before this one starts in its place
 */
record Descriptor(
        ExtensionInfo info,
        ApiVersion api,
        int startPriority,
        List<String> needs,
        String threads,
        boolean required,
        boolean isStopFirst) {
    static final String FILE = "extension.yaml";

    private static final int TEXT_MAX = 200;
    private static final String PRIORITY = "-1000000..1000000";
    private static final int PRIORITY_MAX = 1_000_000;
    private static final List<String> KEYS =
            List.of(
                    "id",
                    "name",
                    "version",
                    "author",
                    "api",
                    "priority",
                    "start-priority",
                    "needs",
                    "threads",
                    "required",
                    "replace");

    Descriptor {
        needs = List.copyOf(needs);
    }

    /**
     * Reads the descriptor in a folder.
     *
     * @param id the folder's name, which has to be the extension's id
     * @throws NotLoaded names all mistakes
     */
    static Descriptor read(Path folder, String id) throws NotLoaded {
        Path file = folder.resolve(FILE);
        if (!Files.isRegularFile(file)) {
            throw new NotLoaded("there is no file " + file);
        }
        return new Reader(file).read(folder, id);
    }

    private static final class Reader {
        private final Path file;
        private final List<ConfigProblem> problems = new ArrayList<>();
        private final Map<String, Assignment> written = new HashMap<>();

        Reader(Path file) {
            this.file = file;
        }

        Descriptor read(Path folder, String id) throws NotLoaded {
            for (Assignment each : ExtensionKeys.read(file, "", problems)) {
                if (KEYS.contains(each.key())) {
                    written.put(each.key(), each);
                } else {
                    refuse(each, ExtensionKeys.unknown(each.key(), KEYS));
                }
            }
            if (problems.isEmpty() || !written.isEmpty()) {
                checkId(id);
            }
            Descriptor read =
                    new Descriptor(
                            new ExtensionInfo(
                                    id,
                                    text("name", id),
                                    required("version"),
                                    text("author", ""),
                                    number("priority", 0),
                                    folder.toAbsolutePath().normalize()),
                            api(),
                            number("start-priority", 1_000),
                            needs(),
                            threads(),
                            required(),
                            isStopFirst());
            if (!problems.isEmpty()) {
                throw new NotLoaded(
                        problems.stream()
                                .map(ConfigProblem::toString)
                                .distinct()
                                .collect(Collectors.joining("; ")));
            }
            return read;
        }

        private void refuse(Assignment wrong, String text) {
            problems.add(new ConfigProblem(wrong.where(), wrong.key(), wrong.text(), text));
        }

        private void checkId(String folderName) {
            Assignment id = written.get("id");
            if (id == null) {
                missing("id");
            } else if (!id.text().equals(folderName)) {
                refuse(id, "must be the name of the folder, " + folderName);
            }
        }

        private void missing(String key) {
            if (problems.isEmpty() || !written.isEmpty()) {
                problems.add(new ConfigProblem(file.toString(), key, null, "is missing"));
            }
        }

        private String text(String key, String fallback) {
            Assignment text = written.get(key);
            if (text == null) {
                return fallback;
            }
            if (text.text().length() > TEXT_MAX
                    || text.text().chars().anyMatch(Character::isISOControl)) {
                refuse(text, "allowed: up to " + TEXT_MAX + " characters in one line");
            }
            return text.text();
        }

        private String required(String key) {
            if (!written.containsKey(key)) {
                missing(key);
            }
            return text(key, "");
        }

        private int number(String key, int fallback) {
            Assignment number = written.get(key);
            if (number == null) {
                return fallback;
            }
            if (number.text().matches("-?[0-9]{1,7}")) {
                int value = Integer.parseInt(number.text());
                if (Math.abs(value) <= PRIORITY_MAX) {
                    return value;
                }
            }
            refuse(number, "allowed: " + PRIORITY);
            return fallback;
        }

        private ApiVersion api() {
            Assignment api = written.get("api");
            if (api == null) {
                missing("api");
                return ApiVersion.OURS;
            }
            ApiVersion least = ApiVersion.parse(api.text()).orElse(null);
            if (least == null) {
                refuse(api, "allowed: the least version of the API, such as " + ApiVersion.OURS);
                return ApiVersion.OURS;
            }
            if (!ApiVersion.OURS.serves(least)) {
                refuse(api, "this broker has version " + ApiVersion.OURS + " of the API");
            }
            return least;
        }

        private List<String> needs() {
            Assignment needs = written.get("needs");
            if (needs == null || needs.text().isEmpty()) {
                return List.of();
            }
            List<String> ids = Stream.of(needs.text().split(",", -1)).map(String::strip).toList();
            if (!ids.stream().allMatch(ExtensionKeys::isId)) {
                refuse(needs, "allowed: a list of ids of extensions");
                return List.of();
            }
            return ids;
        }

        private String threads() {
            Assignment threads = written.get("threads");
            if (threads == null) {
                return "2";
            }
            if (!ExtensionKeys.isThreads(threads.text())) {
                refuse(threads, "allowed: 1..64, virtual");
            }
            return threads.text();
        }

        private boolean isStopFirst() {
            Assignment replace = written.get("replace");
            if (replace == null) {
                return false;
            }
            if (!replace.text().equals("beside") && !replace.text().equals("stop-first")) {
                refuse(replace, "allowed: beside, stop-first");
            }
            return replace.text().equals("stop-first");
        }

        private boolean required() {
            Assignment required = written.get("required");
            if (required == null) {
                return false;
            }
            if (!required.text().equals("true") && !required.text().equals("false")) {
                refuse(required, "allowed: true, false");
            }
            return required.text().equals("true");
        }
    }
}
