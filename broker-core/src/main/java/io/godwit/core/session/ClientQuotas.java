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

    private final int perUser;
    private final int perAddress;
    private final NameCounts byUser;
    private final NameCounts byAddress;

    /**
     * @param perUser how many one user may have; 0: any number
     * @param perAddress the same for an address
     * @param hash of names that strangers choose
     */
    public ClientQuotas(int perUser, int perAddress, KeyedHash hash) {
        this.perUser = perUser;
        this.perAddress = perAddress;
        byUser = new NameCounts(hash);
        byAddress = new NameCounts(hash);
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
     * Counts one more within the usual limits.
     *
     * @see #take(String, String, int, int)
     */
    public @Nullable Share take(@Nullable String user, String remoteAddress) {
        return take(user, remoteAddress, 0, 0);
    }

    /**
     * Counts one more; {@link #giveBack} when it has ended. One that has no limit is not counted,
     * so others that have one may come beside it.
     *
     * @param user null when it gave no name
     * @param remoteAddress with its port, as {@code 10.0.0.1:50412}
     * @param ofUser how many its user may have; 0: the usual limit
     * @param ofAddress how many its address may have; 0: the usual limit
     * @return null when one of the two has too many
     */
    public @Nullable Share take(
            @Nullable String user, String remoteAddress, int ofUser, int ofAddress) {
        int userMax = ofUser == 0 ? perUser : ofUser;
        int addressMax = ofAddress == 0 ? perAddress : ofAddress;
        if (userMax == 0 && addressMax == 0) {
            return Share.NONE;
        }
        Share share =
                new Share(
                        userMax == 0 ? null : user,
                        addressMax == 0 ? null : countedAddress(remoteAddress));
        if (!byUser.add(share.user(), userMax)) {
            return null;
        }
        if (!byAddress.add(share.address(), addressMax)) {
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
