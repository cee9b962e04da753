package io.godwit.core.session;

import io.godwit.core.packet.KeyedHash;
import io.godwit.core.settings.Network;
import org.jspecify.annotations.Nullable;

/**
 * Limits the sessions, or connections, that one user and one network address have at a node; an
 * IPv6 address counts with the others of its /64. Where a session was made from is not kept on
 * disk: those of an earlier start count for nobody. Any thread.
 */
public final class ClientQuotas {
    /** Bits of an IPv6 address that are counted. */
    private static final int IPV6_BITS = 64;

    private final NameCounts byUser;
    private final NameCounts byAddress;

    /**
     * @param perUser how many one user may have; 0: any number
     * @param perAddress the same for an address
     * @param hash of names that strangers choose
     */
    public ClientQuotas(int perUser, int perAddress, KeyedHash hash) {
        byUser = new NameCounts(perUser, hash);
        byAddress = new NameCounts(perAddress, hash);
    }

    /**
     * Names the user and the address that one session or connection counts for.
     *
     * @param user null for none, and when nobody counts them
     * @param address null when nobody counts them
     */
    public record Share(@Nullable String user, @Nullable String address) {
        static final Share NONE = new Share(null, null);
    }

    /**
     * Counts one more; {@link #giveBack} when it has ended.
     *
     * @param user null when it gave no name
     * @param remoteAddress with its port, as {@code 10.0.0.1:50412}
     * @return null when one of the two has too many
     */
    public @Nullable Share take(@Nullable String user, String remoteAddress) {
        if (!byUser.isBounded() && !byAddress.isBounded()) {
            return Share.NONE;
        }
        Share share =
                new Share(
                        byUser.isBounded() ? user : null,
                        byAddress.isBounded() ? countedAddress(remoteAddress) : null);
        if (!byUser.add(share.user())) {
            return null;
        }
        if (!byAddress.add(share.address())) {
            byUser.remove(share.user());
            return null;
        }
        return share;
    }

    public void giveBack(Share share) {
        byUser.remove(share.user());
        byAddress.remove(share.address());
    }

    /**
     * Returns the address without its port; of an IPv6 address the first 64 bits, since whoever has
     * one address of such a network has all of them.
     */
    private static String countedAddress(String remoteAddress) {
        int colon = remoteAddress.lastIndexOf(':');
        String host = colon < 0 ? remoteAddress : remoteAddress.substring(0, colon);
        int end = host.indexOf('%') < 0 ? host.length() - 1 : host.indexOf('%'); // of a zone
        return host.startsWith("[")
                ? Network.parse(host.substring(1, end))
                        .filter(address -> !address.isIpv4())
                        .map(address -> address.widened(IPV6_BITS).toString())
                        .orElse(host)
                : host;
    }
}
