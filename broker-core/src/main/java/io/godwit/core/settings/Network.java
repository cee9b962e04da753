package io.godwit.core.settings;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A network of IP addresses, such as {@code 10.0.0.0/8}; a single address is a network of one.
 *
 * <p>An IPv4 address is held as the IPv6 address {@code ::ffff:a.b.c.d} that stands for it (RFC
 * 4291, 2.5.5.2), so that both ways to write it are one. A network of IPv6 holds no IPv4 address:
 * {@code ::/0} is every IPv6 address and nothing else.
 *
 * @param high the first 8 bytes of the address, of the IPv6 form
 * @param low the last 8 bytes
 * @param bits 0..128: how many of them an address of the network shares
 */
public record Network(long high, long low, int bits) {
    private static final int IPV4_BITS = 96;
    private static final long IPV4_LOW = 0xFFFFL << 32;
    private static final int GROUPS = 8;

    public Network {
        if (bits < 0 || bits > 128) {
            throw new IllegalArgumentException("bits " + bits);
        }
        if ((high & ~highMask(bits)) != 0 || (low & ~lowMask(bits)) != 0) {
            throw new IllegalArgumentException("bits are set beyond the network's");
        }
    }

    private static long highMask(int bits) {
        return bits == 0 ? 0 : -1L << 64 - Math.min(bits, 64);
    }

    private static long lowMask(int bits) {
        return bits <= 64 ? 0 : -1L << 128 - bits;
    }

    /**
     * Parses a network or an address as text. Never asks DNS.
     *
     * @return empty when it is neither, and when bits are set beyond the network's, as in {@code
     *     10.1.2.3/8}: one of the two numbers would be a mistake
     */
    public static Optional<Network> parse(String text) {
        int slash = text.indexOf('/');
        byte[] address = address(slash < 0 ? text : text.substring(0, slash));
        if (address == null) {
            return Optional.empty();
        }
        int most = address.length * 8;
        int bits = slash < 0 ? most : number(text.substring(slash + 1), 10, 3, most);
        if (bits < 0) {
            return Optional.empty();
        }
        Network one = of(address);
        Network network = one.widened(bits + 128 - most);
        return slash < 0 || network.high == one.high && network.low == one.low
                ? Optional.of(network)
                : Optional.empty();
    }

    /**
     * Returns the network of one address.
     *
     * @param address 4 or 16 bytes, in the order of the network
     */
    public static Network of(byte[] address) {
        return switch (address.length) {
            case 4 -> new Network(0, IPV4_LOW | word(address, 0, 4), 128);
            case 16 -> new Network(word(address, 0, 8), word(address, 8, 8), 128);
            default -> throw new IllegalArgumentException(address.length + " bytes");
        };
    }

    private static long word(byte[] bytes, int from, int count) {
        long word = 0;
        for (int i = from; i < from + count; i++) {
            word = word << 8 | bytes[i] & 0xFF;
        }
        return word;
    }

    /** Returns the network of the first bits of this one, which has at least as many. */
    public Network widened(int bits) {
        return new Network(high & highMask(bits), low & lowMask(bits), bits);
    }

    /** Whether its addresses are IPv4. */
    public boolean isIpv4() {
        return bits >= IPV4_BITS && isIpv4(high, low);
    }

    private static boolean isIpv4(long high, long low) {
        return high == 0 && low >>> 32 == 0xFFFF;
    }

    /**
     * Tells whether an address belongs to the network.
     *
     * @param address 4 or 16 bytes, in the order of the network
     */
    public boolean contains(byte[] address) {
        Network one = of(address);
        return isIpv4(one.high, one.low) == isIpv4()
                && (one.high & highMask(bits)) == high
                && (one.low & lowMask(bits)) == low;
    }

    /**
     * Parses an IPv4 address of four decimal numbers, or an IPv6 address (RFC 4291, 2.2) without
     * brackets and zone. Never asks DNS.
     *
     * @return 4 or 16 bytes; null when it is neither
     */
    public static byte @Nullable [] address(String text) {
        return text.indexOf(':') < 0 ? ipv4(text) : ipv6(text);
    }

    private static byte @Nullable [] ipv4(String text) {
        String[] parts = text.split("\\.", -1);
        byte[] address = new byte[4];
        if (parts.length != address.length) {
            return null;
        }
        for (int i = 0; i < address.length; i++) {
            int part = number(parts[i], 10, 3, 255);
            // A leading 0 would mean octal to some programs.
            if (part < 0 || parts[i].length() > 1 && parts[i].charAt(0) == '0') {
                return null;
            }
            address[i] = (byte) part;
        }
        return address;
    }

    private static byte @Nullable [] ipv6(String text) {
        int gap = text.indexOf("::");
        byte[] before = groups(gap < 0 ? text : text.substring(0, gap), gap < 0);
        byte[] after = gap < 0 ? new byte[0] : groups(text.substring(gap + 2), true);
        if (before == null || after == null) {
            return null;
        }
        int length = before.length + after.length;
        boolean fits = gap < 0 ? length == 2 * GROUPS : length < 2 * GROUPS;
        if (!fits) {
            return null;
        }
        byte[] address = new byte[2 * GROUPS];
        System.arraycopy(before, 0, address, 0, before.length);
        System.arraycopy(after, 0, address, address.length - after.length, after.length);
        return address;
    }

    /**
     * @param last whether the text ends the address, so that an IPv4 address may stand at its end
     */
    private static byte @Nullable [] groups(String text, boolean last) {
        if (text.isEmpty()) {
            return new byte[0];
        }
        String[] groups = text.split(":", -1);
        byte[] ipv4 = last ? ipv4(groups[groups.length - 1]) : null;
        int count = ipv4 == null ? groups.length : groups.length - 1;
        if (count > GROUPS) {
            return null;
        }
        byte[] bytes = new byte[2 * count + (ipv4 == null ? 0 : ipv4.length)];
        for (int i = 0; i < count; i++) {
            int group = number(groups[i], 16, 4, 0xFFFF);
            if (group < 0) {
                return null;
            }
            bytes[2 * i] = (byte) (group >> 8);
            bytes[2 * i + 1] = (byte) group;
        }
        if (ipv4 != null) {
            System.arraycopy(ipv4, 0, bytes, 2 * count, ipv4.length);
        }
        return bytes;
    }

    /** Returns a number without sign of so many digits at most, -1 when the text is none. */
    private static int number(String text, int radix, int digitsMax, int max) {
        if (text.isEmpty() || text.length() > digitsMax) {
            return -1;
        }
        int number = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            int digit = c < 128 ? Character.digit(c, radix) : -1;
            if (digit < 0) {
                return -1;
            }
            number = number * radix + digit;
        }
        return number <= max ? number : -1;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        if (isIpv4()) {
            for (int shift = 24; shift >= 0; shift -= 8) {
                text.append(low >> shift & 0xFF).append(shift > 0 ? "." : "");
            }
        } else {
            for (int i = 0; i < GROUPS; i++) {
                long half = i < GROUPS / 2 ? high : low;
                int group = (int) (half >>> 48 - 16 * (i % (GROUPS / 2))) & 0xFFFF;
                text.append(i > 0 ? ":" : "").append(Integer.toHexString(group));
            }
        }
        int shown = isIpv4() ? bits - IPV4_BITS : bits;
        return bits == 128 ? text.toString() : text.append('/').append(shown).toString();
    }
}
