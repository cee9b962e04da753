package io.godwit.server.config;

import java.util.List;
import java.util.function.Predicate;

/** Writes {@code conf/godwit.yaml} from the tables. */
final class ShippedFile {
    private static final int WIDTH = 100;
    private static final String HEADER =
            """
            # The configuration of Godwit: every key with its meaning, its range and its default. A key that
            # is left out has its default.
            #
            # The environment overrides this file, and the command line overrides both:
            #     GODWIT_MQTT_RECEIVE_MAXIMUM=100          (dots and hyphens become underscores)
            #     ./godwit run --set mqtt.receive-maximum=100
            # Sizes are written 512KiB, 16MiB, 1GiB (k, m, g mean the same; kB, MB, GB count in thousands),
            # times 500us, 20ms, 10s, 5m, 2h, 7d. A plain number is in the unit named beside the key.
            # ./godwit run --check checks the configuration without starting the broker.
            """;
    private static final String LISTENERS =
            """
            # Listeners: as many as you like, each under a name of your own (a-z 0-9 _ -). In the environment
            # GODWIT_LISTENERS_MQTT_BIND means listeners.mqtt.bind. A file without this section has the two
            # below. The keys of a listener:
            #
            """;
    private static final String SHIPPED_LISTENERS =
            """
            listeners:
              mqtt:
                type: tcp
                bind: 1883
              ws:
                type: ws
                bind: 8083
                paths: [/mqtt, /]
              # mqtts:
              #   type: tls
              #   bind: 8883
              #   tls:
              #     certificate: /etc/godwit/server.pem
              #     key: /etc/godwit/server.key
              # wss:
              #   type: wss
              #   bind: 8084
              #   tls.certificate: /etc/godwit/server.pem
              #   tls.key: /etc/godwit/server.key
            """;

    private static final String EXTENSIONS =
            """
              # What is said about one extension stands below its id, the name of its folder. In the
              # environment GODWIT_EXTENSIONS_HTTP_AUTH_THREADS means extensions.http-auth.threads. The keys
              # of an extension:
              #
            """;
    private static final String SHIPPED_EXTENSIONS =
            """
              # http-auth:
              #   required: true
              #   config:
              #     url: https://example.org/login
            """;

    private final StringBuilder out = new StringBuilder(HEADER);

    private ShippedFile() {}

    static String render() {
        ShippedFile file = new ShippedFile();
        file.sections(Keys.ALL, name -> name.equals("node") || name.equals("server"));
        file.listeners();
        file.sections(Keys.ALL, name -> !name.equals("node") && !name.equals("server"));
        file.extensions();
        return file.out.toString();
    }

    private void sections(List<Key<?>> keys, Predicate<String> wanted) {
        String open = "";
        for (Key<?> key : keys) {
            String section = key.name().substring(0, key.name().indexOf('.'));
            if (!wanted.test(section)) continue;
            if (!section.equals(open)) out.append('\n').append(section).append(":\n");
            open = section;
            comment("  # ", key.meaning());
            comment("  # ", facts(key));
            out.append("  ").append(key.name().substring(section.length() + 1)).append(": ");
            out.append(key.fallback().equals("") ? "\"\"" : key.shownFallback()).append('\n');
        }
    }

    private void listeners() {
        out.append('\n').append(LISTENERS);
        for (Key<?> key : ListenerKeys.ALL) {
            comment("#   ", key.name() + ": " + key.meaning());
            comment("#       ", facts(key));
        }
        out.append(SHIPPED_LISTENERS);
    }

    private void extensions() {
        out.append(EXTENSIONS);
        for (Key<?> key : ExtensionKeys.OF_ONE) {
            comment("  #   ", key.name() + ": " + key.meaning());
            comment("  #       ", facts(key));
        }
        out.append(SHIPPED_EXTENSIONS);
    }

    /** What a reader looks for: {@code Allowed: 0..2. Default: 2.} */
    static String facts(Key<?> key) {
        String allowed = "Allowed: " + key.type().allowed() + ".";
        if (key == ListenerKeys.BIND) return allowed;
        String shown = key.fallback().equals("") ? "empty" : key.shownFallback();
        return allowed + " Default: " + shown + ".";
    }

    private void comment(String indent, String text) {
        StringBuilder line = new StringBuilder(indent.stripTrailing());
        for (String word : text.split(" ", -1)) {
            if (line.length() + 1 + word.length() > WIDTH) {
                out.append(line).append('\n');
                line = new StringBuilder(indent.stripTrailing());
            }
            boolean first = line.length() == indent.stripTrailing().length();
            line.append(first ? indent.substring(indent.stripTrailing().length()) : " ")
                    .append(word);
        }
        out.append(line).append('\n');
    }
}
