package io.godwit.server.config;

import io.godwit.core.auth.Security;
import java.util.List;

/** The table of the keys that say who comes in, and what he may do: {@code security}. */
final class SecurityKeys {
    private static final KeyTable TABLE = new KeyTable();

    static final Key<SecurityConfig.Anonymous> ANONYMOUS =
            TABLE.key(
                    "security.anonymous",
                    ValueType.oneOf(SecurityConfig.Anonymous.class),
                    SecurityConfig.Anonymous.AUTO,
                    "Who may connect without credentials: clients on this machine (loopback), "
                            + "nobody, or everyone who can reach a listener. auto: nobody, if something "
                            + "authenticates clients (security.users, an extension, a listener's tls.identity), "
                            + "otherwise loopback. On this machine is who connects from 127.0.0.1 or ::1, "
                            + "or from the address of this machine that it connects to; whoever comes by "
                            + "a listener with proxy-protocol is not. Behind a TCP proxy on this machine "
                            + "without proxy-protocol everyone counts as on this machine; through a "
                            + "container's published port nobody does, or everyone where the container "
                            + "runtime forwards with a proxy inside. Where nothing authenticates, user names "
                            + "and passwords are accepted without being checked.");

    static final Key<List<String>> AUTHENTICATORS =
            TABLE.key(
                    "security.authenticators",
                    ValueType.words(
                            "auto, or a list of users and ids of extensions", SecurityKeys::isName),
                    List.of(SecurityConfig.AUTO),
                    "Who is asked about the credentials of a client, in this order: the first that "
                            + "grants or refuses decides. Whom none of them knows security.anonymous "
                            + "decides about, unless it has sent a user name or a password: then it is "
                            + "refused. users is the file security.users; an extension has to "
                            + "run for the broker to start when it is named here. auto: all "
                            + "extensions that authenticate, the one with the highest priority first, "
                            + "then users, if security.users is set.");

    static final Key<List<String>> AUTHORIZERS =
            TABLE.key(
                    "security.authorizers",
                    ValueType.words(
                            "auto, or a list of ids of extensions, and rules as the last one",
                            SecurityKeys::isName),
                    List.of(SecurityConfig.AUTO),
                    "Who is asked what a client may publish and subscribe to, in this order: the first "
                            + "that allows or denies decides. rules is what its authenticator has "
                            + "granted, else what an extension has set up for the client, else "
                            + "security.rules; without it in the list what extensions leave open is "
                            + "denied. An extension has to run for the broker to start when it is "
                            + "named here. auto: all extensions that authorize, the one with the "
                            + "highest priority first, then the rules.");

    static final Key<Long> AUTHENTICATE_TIME =
            TABLE.key(
                    "security.authenticate-time",
                    Quantity.millis(100, 600_000),
                    Security.AUTHENTICATE_MS,
                    "Time limit for the answer of an authenticator. Without one the client is refused "
                            + "with 0x88 (3.x: 3), and no other is asked.");

    static final Key<SecurityConfig.Owner> SESSION_OWNER =
            TABLE.key(
                    "security.session-owner",
                    ValueType.oneOf(SecurityConfig.Owner.class),
                    SecurityConfig.Owner.AUTO,
                    "Whose a session is. user: the user's who made it; another user who connects with "
                            + "its client id is refused with 0x85 (3.x: 2) as long as the session "
                            + "lives. anyone: whoever connects with its client id gets it. auto: user, if "
                            + "something authenticates clients, otherwise anyone.");

    static final Key<String> RULES =
            TABLE.key(
                    "security.rules",
                    ValueType.path("empty, or a file", text -> text.indexOf('\0') < 0),
                    "",
                    "The file that says who may connect, publish and subscribe (docs/rules.md): what no "
                            + "rule in it allows is denied. 'godwit rules explain' names the rule that "
                            + "decides. Empty: who is connected may do everything but publish to $SYS.");

    static final List<Key<?>> ALL = TABLE.keys();

    private SecurityKeys() {}

    static boolean isName(String text) {
        return text.matches("[a-z0-9][a-z0-9_-]{0,63}");
    }
}
