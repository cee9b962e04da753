package io.godwit.server.rules;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import io.godwit.core.auth.rules.AccessList;
import io.godwit.core.auth.rules.RuleMistake;
import io.godwit.extension.access.AccessRules;
import io.godwit.server.config.YamlMistake;
import io.godwit.server.reload.FileMemory;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;

/** The file of rules: read whole, and checked before anything of it counts. */
public final class RulesFile {
    /** Bytes that the file may have. */
    public static final int BYTES_MAX = 32 << 20;

    /** Bytes of heap for each of the file: 9 to 18 were measured. */
    private static final int HEAP_FACTOR = 12;

    private static final String PART = "rules";

    private final Path file;
    private final @Nullable Set<String> listeners;
    private final FileMemory memory;

    /** The digest of the content that had a mistake when it was read last, and the mistake. */
    private byte[] broken = {};

    private @Nullable RulesMistake mistake;

    /**
     * @param listeners names of the listeners that there are; null: not known, so rules may name
     *     any
     */
    public RulesFile(Path file, @Nullable Set<String> listeners, FileMemory memory) {
        this.file = file;
        this.listeners = listeners;
        this.memory = memory;
    }

    /**
     * Reads the file as it is now.
     *
     * @throws RulesMistake the first mistake in it
     */
    public LoadedRules load() throws RulesMistake {
        byte[] content = content();
        requireRoom(content);
        return load(content, digest(content));
    }

    /**
     * Reads the file as it is now, if it has changed.
     *
     * @param before what it was; the same is returned if it is still that
     * @throws RulesMistake the first mistake in it
     */
    LoadedRules load(LoadedRules before) throws RulesMistake {
        byte[] content = content();
        byte[] digest = digest(content);
        if (before.isOf(digest)) {
            return before;
        }
        requireRoom(content); // Each time: how much there is does not depend on this file alone.
        RulesMistake known = mistake;
        if (known != null && Arrays.equals(digest, broken)) {
            throw known; // To read 100 000 rules at each look only to refuse them takes a second.
        }
        try {
            return load(content, digest);
        } catch (RulesMistake found) {
            broken = digest;
            mistake = found;
            throw found;
        }
    }

    private LoadedRules load(byte[] content, byte[] digest) throws RulesMistake {
        LoadedRules loaded = parse(content, digest);
        memory.set(PART, heapBytes(content));
        return loaded;
    }

    private void requireRoom(byte[] content) throws RulesMistake {
        String tooLarge = memory.mistake(PART, heapBytes(content));
        if (tooLarge != null) {
            throw new RulesMistake(file + ": " + tooLarge);
        }
    }

    private static long heapBytes(byte[] content) {
        return (long) content.length * HEAP_FACTOR;
    }

    private LoadedRules parse(byte[] content, byte[] digest) throws RulesMistake {
        String text = text(content);
        RulesParser parsed;
        try (YAMLParser yaml = yaml().createParser(text)) {
            parsed = new RulesParser(file, listeners, yaml);
            parsed.document();
        } catch (JsonProcessingException e) {
            int line = e.getLocation() == null ? 1 : e.getLocation().getLineNr();
            int tabbed = YamlMistake.lineWithTab(text, line);
            throw new RulesMistake(
                    file
                            + " line "
                            + (tabbed > 0
                                    ? tabbed
                                            + ": begins with a tab; YAML is indented with blanks only"
                                    : line
                                            + ": "
                                            + YamlMistake.sentence(e.getOriginalMessage())
                                            + " (a text with * % # & or a colon stands in quotes)"));
        } catch (IOException e) {
            throw new RulesMistake(file + ": can't be read");
        }
        try {
            AccessList list = AccessList.of(new AccessRules(parsed.rules(), parsed.groups()));
            return new LoadedRules(file, list, parsed.lines(), digest);
        } catch (RuleMistake mistake) {
            throw new RulesMistake(sentence(mistake, parsed));
        }
    }

    private String sentence(RuleMistake mistake, RulesParser parsed) {
        String group = mistake.group();
        String key = group == null ? mistake.key() : "groups." + group;
        String value = mistake.value();
        return file
                + " line "
                + (group == null ? parsed.lines().get(mistake.rule()) : parsed.line(group))
                + ": "
                + key
                + (value == null ? "" : " = " + RulesParser.shown(value))
                + (key.isEmpty() ? "" : ": ")
                + mistake.getMessage();
    }

    private static YAMLFactory yaml() {
        LoaderOptions options = new LoaderOptions();
        options.setCodePointLimit(BYTES_MAX);
        return YAMLFactory.builder()
                .enable(YAMLParser.Feature.EMPTY_STRING_AS_NULL)
                .loaderOptions(options)
                .build();
    }

    private byte[] content() throws RulesMistake {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(BYTES_MAX + 1);
            if (bytes.length > BYTES_MAX) {
                throw new RulesMistake(
                        file + ": is too large; at most " + (BYTES_MAX >> 20) + " MiB are allowed");
            }
            return bytes;
        } catch (IOException e) {
            throw new RulesMistake(file + ": " + reason(e));
        }
    }

    private String text(byte[] content) throws RulesMistake {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(content)).toString();
        } catch (CharacterCodingException e) {
            throw new RulesMistake(file + ": is not a text in UTF-8");
        }
    }

    private static byte[] digest(byte[] content) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(content);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every JDK has it
        }
    }

    private String reason(IOException e) {
        if (Files.isDirectory(file)) return "is a folder";
        if (!Files.exists(file)) return "there is no such file";
        return e instanceof AccessDeniedException
                ? "can't be read: permission denied"
                : "can't be read";
    }
}
