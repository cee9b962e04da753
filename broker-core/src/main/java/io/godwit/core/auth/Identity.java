package io.godwit.core.auth;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Says who a client is, as an authenticator has found out, and what that grants.
 *
 * @param userName null: anonymous
 * @param groups names of the groups that the authenticator puts the user into, beside those that
 *     {@code security.rules} names
 * @param attributes texts for extensions; see {@link #ATTRIBUTE_BYTES}
 * @param access what the user may do; null: what {@code security.rules} says
 * @param connectSeconds after so many seconds the connection ends with 0xA0; a re-authentication
 *     begins them anew; 0: never
 * @param settings limits of this client in place of the node's
 * @param authenticator name of the authenticator that has let the client in, which the broker fills
 *     in; empty: none
 */
public record Identity(
        @Nullable String userName,
        List<String> groups,
        Map<String, String> attributes,
        @Nullable AccessControl access,
        long connectSeconds,
        ClientSettings settings,
        String authenticator) {
    /** The identity of a client that nobody knows. */
    public static final Identity ANONYMOUS = ofUser(null);

    /** Bytes in UTF-8 that the groups and attributes may have together. */
    public static final int ATTRIBUTE_BYTES = 8 * 1024;

    /** Returns an identity that no authenticator has granted yet. */
    public Identity(
            @Nullable String userName,
            List<String> groups,
            Map<String, String> attributes,
            @Nullable AccessControl access,
            long connectSeconds,
            ClientSettings settings) {
        this(userName, groups, attributes, access, connectSeconds, settings, "");
    }

    /** Returns the identity of a user without anything else. */
    public static Identity ofUser(@Nullable String userName) {
        return new Identity(userName, List.of(), Map.of(), null, 0, ClientSettings.NODE);
    }

    /** Returns it as granted by an authenticator. */
    public Identity grantedBy(String name) {
        return new Identity(userName, groups, attributes, access, connectSeconds, settings, name);
    }

    public Identity {
        groups = List.copyOf(groups);
        attributes = Map.copyOf(attributes);
        long chars = groups.stream().mapToLong(String::length).sum();
        for (Map.Entry<String, String> each : attributes.entrySet()) {
            chars += each.getKey().length() + each.getValue().length();
        }
        if (chars > ATTRIBUTE_BYTES || connectSeconds < 0) {
            throw new IllegalArgumentException(
                    chars
                            + " characters of groups and attributes, of "
                            + ATTRIBUTE_BYTES
                            + "; connected for "
                            + connectSeconds
                            + " s at most");
        }
    }
}
