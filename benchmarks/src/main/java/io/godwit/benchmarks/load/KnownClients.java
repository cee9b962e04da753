package io.godwit.benchmarks.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Clients that are known to the broker: each has its client id as its user name, and all the same
 * secret. What it costs to check that depends on the line of the users file.
 */
final class KnownClients {
    /** The form in which a users file has a secret. */
    enum Stored {
        TOKEN(
                "ldegrbeoyek7bjfcfagor5vs3dsa6dvu",
                "$token$LnOuDMC/QmtJ62roiy4i2Q$K2WX7NzvtJI0xNfjFcgT/96MuZD9DUvU7qVgwdsE5WM"),
        /** As {@code godwit passwd} stores a password. */
        ARGON2ID(
                "known-client-password",
                "$argon2id$v=19$m=19456,t=2,p=1$jGKdrsJ6UU99uGGnyxOB7Q"
                        + "$w9h6FsduQuK5q0TRPh5HhuHYjFEbcilXh2etyv26jfY"),
        /** A password that is hashed in microseconds, so that many can be remembered soon. */
        PBKDF2_ONCE(
                "known-client-password",
                "$7$1$Z29kd2l0LWJlbmNobWFyaw==$jsfsxbxjBpSUj0WD8dWoeJNpwcuS/p5knrTJd+Cuq"
                        + "Kq4tDoe2lcYOpSPY+223xnm7lZbjsTH0AzUhxgxweVqEA==");

        private final String secret;
        private final String hash;

        Stored(String secret, String hash) {
            this.secret = secret;
            this.hash = hash;
        }

        String secret() {
            return secret;
        }

        String line(String userName) {
            return userName + ":" + hash;
        }
    }

    private static final int RULES = 1_000;

    private KnownClients() {}

    /**
     * Writes a users file with all clients of pairs and of {@code idle}, each with a token, and
     * rules: the last of 1 000 allows everything, the others are about somebody else.
     *
     * @return the keys that name them
     */
    static List<String> settings(Path folder, Options options) throws IOException {
        Stream<String> pairs =
                IntStream.range(0, 100)
                        .boxed()
                        .flatMap(p ->
                                Stream.of(Workload.publisherId(p), Workload.subscriberId(p, 0)));
        Stream<String> idle =
                IntStream.range(0, options.number("connections")).mapToObj(IdleClient::clientId);
        Path users =
                Files.write(
                        folder.resolve("users"),
                        (Iterable<String>)
                                Stream.concat(pairs, idle).map(Stored.TOKEN::line)::iterator);
        Stream<String> others =
                IntStream.range(1, RULES)
                        .mapToObj(n ->
                                "  - {allow: [publish, subscribe], user: other-%d, topic: \"other/%d/#\"}"
                                        .formatted(n, n));
        Path rules =
                Files.write(
                        folder.resolve("rules.yaml"),
                        (Iterable<String>)
                                Stream.concat(
                                                Stream.concat(Stream.of("rules:"), others),
                                                Stream.of("  - {allow: all}"))
                                        ::iterator);
        return List.of("security.users=" + users, "security.rules=" + rules);
    }
}
