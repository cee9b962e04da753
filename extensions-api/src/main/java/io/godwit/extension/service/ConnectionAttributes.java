package io.godwit.extension.service;

import io.godwit.extension.Preview;
import io.godwit.extension.client.Client;
import io.godwit.extension.packet.Bytes;
import java.util.Map;
import java.util.Optional;

/**
 * Notes of extensions about connections, which all extensions share. They are gone with the
 * connection. What its authenticator has given is there from the begin, as {@link
 * Client#attributes} has it. Ask for it in {@code start}, as {@link ClientSetups} says.
 *
 * <p>A connection is named by a {@link Client} as it was shown, at the node that leads the client's
 * session; of one that has ended there are none. Any thread.
 */
@Preview
public interface ConnectionAttributes {
    /** Attributes that a connection may have. */
    int COUNT_MAX = 1_000;

    /** Bytes that the names in UTF-8 and the values of a connection may have together. */
    int BYTES_MAX = 64 * 1024;

    Optional<Bytes> get(Client client, String name);

    /**
     * Sets an attribute, in place of one of that name.
     *
     * @return false: the connection has ended
     * @throws IllegalStateException the connection would have more than {@link #COUNT_MAX}, or more
     *     than {@link #BYTES_MAX}; nothing has changed
     */
    boolean put(Client client, String name, Bytes value);

    /** Sets an attribute to the UTF-8 of a text, as {@link #put(Client, String, Bytes)} does. */
    default boolean put(Client client, String name, String text) {
        return put(client, name, Bytes.ofText(text));
    }

    /** Removes an attribute, and returns what it was. */
    Optional<Bytes> remove(Client client, String name);

    /** Returns all of a connection, as they are now. */
    Map<String, Bytes> all(Client client);
}
