package io.godwit.core.auth.rules;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A network in CIDR form, or a single address. An IPv4 address that is mapped into IPv6 counts as
 * IPv4. Names are never looked up.
 */
final class AddressRange {
    private static final int IPV4 = 4;
    private static final int IPV6 = 16;
    private static final int GROUPS = 8;

    private final byte[] network;
    private final int prefix;

    private AddressRange(byte[] network, int prefix) {
        this.network = network;
        this.prefix = prefix;
    }

    /** Reads {@code 10.0.0.0/8}, {@code fd00::/8} or an address; null: it is none of them. */
    static @Nullable AddressRange parse(String text) {
        int slash = text.indexOf('/');
        byte[] written = bytes(slash < 0 ? text : text.substring(0, slash));
        if (written == null) {
            return null;
        }
        int most = written.length * Byte.SIZE;
        int prefix = slash < 0 ? most : number(text.substring(slash + 1), 10, most);
        byte[] network = unmapped(written);
        int mapped = (written.length - network.length) * Byte.SIZE;
        return prefix < mapped ? null : new AddressRange(network, prefix - mapped);
    }

    /**
     * Reads the address of a peer, as {@code 10.0.0.1:50412} or {@code [::1]:50412}, with or
     * without the port.
     *
     * @return 4 or 16 bytes; null: it is no address
     */
    static byte @Nullable [] ofPeer(String text) {
        String host = text;
        if (text.startsWith("[")) {
            int end = text.indexOf(']');
            host = text.substring(1, Math.max(1, end));
        } else if (text.indexOf(':') == text.lastIndexOf(':') && text.indexOf(':') > 0) {
            host = text.substring(0, text.indexOf(':'));
        }
        byte[] bytes = bytes(host);
        return bytes == null ? null : unmapped(bytes);
    }

    /**
     * @param address of 4 or 16 bytes, as {@link #ofPeer} returns it
     */
    boolean contains(byte[] address) {
        if (address.length != network.length) {
            return false;
        }
        int whole = prefix / Byte.SIZE;
        int left = prefix % Byte.SIZE;
        return Arrays.equals(address, 0, whole, network, 0, whole)
                && (left == 0 || (address[whole] ^ network[whole]) >> (Byte.SIZE - left) == 0);
    }

    private static byte @Nullable [] bytes(String text) {
        return text.indexOf(':') < 0 ? ipv4(text) : ipv6(text);
    }

    private static byte @Nullable [] ipv4(String text) {
        String[] parts = text.split("\\.", -1);
        if (parts.length != IPV4) {
            return null;
        }
        byte[] bytes = new byte[IPV4];
        for (int i = 0; i < IPV4; i++) {
            int value = number(parts[i], 10, 255);
            if (value < 0 || parts[i].length() > 1 && parts[i].startsWith("0")) {
                return null;
            }
            bytes[i] = (byte) value;
        }
        return bytes;
    }

    private static byte @Nullable [] ipv6(String text) {
        int scope = text.indexOf('%');
        String plain = scope < 0 ? text : text.substring(0, scope);
        int gap = plain.indexOf("::");
        if (gap < 0) {
            byte[] all = groups(plain);
            return all != null && all.length == IPV6 ? all : null;
        }
        byte[] head = groups(plain.substring(0, gap));
        byte[] tail = groups(plain.substring(gap + 2));
        if (head == null || tail == null || head.length + tail.length > IPV6 - 2) {
            return null;
        }
        byte[] bytes = Arrays.copyOf(head, IPV6);
        System.arraycopy(tail, 0, bytes, IPV6 - tail.length, tail.length);
        return bytes;
    }

    /** Reads groups that colons stand between; the last one may be an IPv4 address. */
    private static byte @Nullable [] groups(String text) {
        if (text.isEmpty()) {
            return new byte[0];
        }
        String[] parts = text.split(":", -1);
        if (parts.length > GROUPS) {
            return null;
        }
        byte[] bytes = new byte[parts.length * 2 + 2];
        int length = 0;
        for (int i = 0; i < parts.length; i++) {
            if (i == parts.length - 1 && parts[i].indexOf('.') >= 0) {
                byte[] last = ipv4(parts[i]);
                if (last == null) {
                    return null;
                }
                System.arraycopy(last, 0, bytes, length, IPV4);
                length += IPV4;
            } else {
                int value = parts[i].length() > 4 ? -1 : number(parts[i], 16, 0xFFFF);
                if (value < 0) {
                    return null;
                }
                bytes[length++] = (byte) (value >>> 8);
                bytes[length++] = (byte) value;
            }
        }
        return Arrays.copyOf(bytes, length);
    }

    private static byte[] unmapped(byte[] address) {
        if (address.length != IPV6 || address[10] != -1 || address[11] != -1) {
            return address;
        }
        for (int i = 0; i < 10; i++) {
            if (address[i] != 0) {
                return address;
            }
        }
        return Arrays.copyOfRange(address, IPV6 - IPV4, IPV6);
    }

    /** Reads digits without a sign; -1: there are others, or the number is too large. */
    private static int number(String text, int radix, int max) {
        if (text.isEmpty() || text.length() > 5) {
            return -1;
        }
        int value = 0;
        for (int i = 0; i < text.length(); i++) {
            char each = text.charAt(i);
            int digit = each < 128 ? Character.digit(each, radix) : -1;
            if (digit < 0) {
                return -1;
            }
            value = value * radix + digit;
        }
        return value > max ? -1 : value;
    }
}
