package io.godwit.core.packet;

/** A client identifier: any UTF-8 of 0 to 65 535 bytes; empty asks the server to assign one. */
public final class ClientId extends Utf8 implements Comparable<ClientId> {
    /**
     * @param bytes well-formed UTF-8, taken over
     */
    public ClientId(byte[] bytes) {
        super(bytes);
    }

    public static ClientId of(String text) {
        return new ClientId(encode(text));
    }

    @Override
    public int compareTo(ClientId other) {
        return compareBytes(other);
    }
}
