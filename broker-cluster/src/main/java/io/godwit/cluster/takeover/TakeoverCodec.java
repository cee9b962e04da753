package io.godwit.cluster.takeover;

import io.godwit.cluster.membership.Slots;
import io.godwit.cluster.takeover.TakeoverMessage.Ask;
import io.godwit.cluster.takeover.TakeoverMessage.Dropped;
import io.godwit.cluster.takeover.TakeoverMessage.Granted;
import io.godwit.cluster.takeover.TakeoverMessage.Header;
import io.godwit.cluster.takeover.TakeoverMessage.Keep;
import io.godwit.cluster.takeover.TakeoverMessage.Lose;
import io.godwit.cluster.takeover.TakeoverMessage.Missing;
import io.godwit.cluster.takeover.TakeoverMessage.NotHere;
import io.godwit.cluster.takeover.TakeoverMessage.Offer;
import io.godwit.cluster.takeover.TakeoverMessage.Oldest;
import io.godwit.cluster.takeover.TakeoverMessage.OutOfReach;
import io.godwit.cluster.takeover.TakeoverMessage.Over;
import io.godwit.cluster.takeover.TakeoverMessage.Room;
import io.godwit.cluster.takeover.TakeoverMessage.RoomWanted;
import io.godwit.cluster.takeover.TakeoverMessage.Settled;
import io.godwit.cluster.takeover.TakeoverMessage.Stands;
import io.godwit.cluster.takeover.TakeoverMessage.Take;
import io.godwit.cluster.takeover.TakeoverMessage.Tell;
import io.godwit.cluster.takeover.TakeoverMessage.Told;
import io.godwit.cluster.takeover.TakeoverMessage.ToldClaim;
import io.godwit.cluster.takeover.TakeoverMessage.Void;
import io.godwit.cluster.takeover.TakeoverMessage.Whole;
import io.godwit.cluster.takeover.TakeoverMessage.Withdraw;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.id.IngressId;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.operation.Ids;
import io.godwit.core.packet.ClientId;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Messages of takeovers as bytes. Fields are only ever added, at the end.
 *
 * <pre>
 * node      server 3 | start varint
 * claim     node | shard + 1 varint | number varint
 * standing  0 nothing | 1 home: changes varint, durable 1 | 2 given: changes varint, claim, durable 1
 *             | 3 ended: changes varint
 * slots     bits sized, the lowest slot in the lowest bit of the first byte
 *
 * 32 Ask         client id sized | claim
 * 33 Settled     client id sized | claim | standing
 * 34 Stands      client id sized | standing
 * 35 Tell        slots | n varint | n x (node | client id sized | standing | m varint
 *                  | m x (claim | granted varint))
 * 36 Withdraw    slots | second 1
 * 37 Granted     client id sized | claim | changes varint | home's server + 1 varint (0: nobody)
 *                  | void up to varint
 * 38 OutOfReach  client id sized | claim | home 3
 * 39 Void        client id sized | changes varint
 * 40 Lose        client id sized | changes varint
 * 41 Take        client id sized | claim | changes varint | void up to varint | clean start 1
 * 42 Header      client id sized | claim | 0, or 1 and the header sized
 * 43 NotHere     client id sized | claim
 * 44 Whole       client id sized | changes varint
 * 45 Dropped     client id sized | changes varint
 * 46 RoomWanted  [question varint]
 * 47 Room        bytes varint | [question varint]
 * 48 Offer       client id sized
 * 49 Oldest      client id sized | changes varint
 * 50 Keep        as Tell
 * 51 Missing     server 3
 * 52 Over        client id sized | changes varint | n varint | n x ingress id
 * </pre>
 */
public final class TakeoverCodec {
    private TakeoverCodec() {}

    /** Given once and for all. */
    public static int code(TakeoverMessage message) {
        return switch (message) {
            case Ask ask -> 32;
            case Settled settled -> 33;
            case Stands stands -> 34;
            case Tell tell -> 35;
            case Withdraw withdraw -> 36;
            case Granted granted -> 37;
            case OutOfReach refused -> 38;
            case Void given -> 39;
            case Lose lose -> 40;
            case Take take -> 41;
            case Header header -> 42;
            case NotHere notHere -> 43;
            case Whole whole -> 44;
            case Dropped dropped -> 45;
            case RoomWanted wanted -> 46;
            case Room room -> 47;
            case Offer offer -> 48;
            case Oldest oldest -> 49;
            case Keep keep -> 50;
            case Missing missing -> 51;
            case Over over -> 52;
        };
    }

    // ---------------------------------------------------------------- writing

    /** The body, without its code. */
    public static void write(ByteWriter to, TakeoverMessage message) {
        switch (message) {
            case Ask ask -> claim(client(to, ask.clientId()), ask.claim());
            case Settled settled ->
                    standing(
                            claim(client(to, settled.clientId()), settled.claim()),
                            settled.standing());
            case Stands stands -> standing(client(to, stands.clientId()), stands.standing());
            case Tell tell -> told(to, tell.slots(), tell.told());
            case Keep keep -> told(to, keep.slots(), keep.told());
            case Missing missing -> to.server3(missing.server());
            case Withdraw withdraw ->
                    to.sized(withdraw.slots().toByteArray()).u8(withdraw.isSecond() ? 1 : 0);
            case Granted granted ->
                    claim(client(to, granted.clientId()), granted.claim())
                            .varint(granted.changes())
                            .varint(granted.home() + 1L)
                            .varint(granted.voidUpTo());
            case OutOfReach refused ->
                    claim(client(to, refused.clientId()), refused.claim()).server3(refused.home());
            case Void given -> client(to, given.clientId()).varint(given.changes());
            case Lose lose -> client(to, lose.clientId()).varint(lose.changes());
            case Take take ->
                    claim(client(to, take.clientId()), take.claim())
                            .varint(take.changes())
                            .varint(take.voidUpTo())
                            .u8(take.cleanStart() ? 1 : 0);
            case Header said -> {
                claim(client(to, said.clientId()), said.claim());
                byte[] header = said.header();
                to.u8(header == null ? 0 : 1);
                if (header != null) {
                    to.sized(header);
                }
            }
            case NotHere notHere -> claim(client(to, notHere.clientId()), notHere.claim());
            case Whole whole -> client(to, whole.clientId()).varint(whole.changes());
            case Dropped dropped -> client(to, dropped.clientId()).varint(dropped.changes());
            case RoomWanted wanted -> question(to, wanted.question());
            case Room room -> question(to.varint(room.bytes()), room.question());
            case Offer offer -> client(to, offer.clientId());
            case Oldest oldest -> client(to, oldest.clientId()).varint(oldest.changes());
            case Over over -> {
                client(to, over.clientId()).varint(over.changes()).varint(over.publishes().size());
                over.publishes().forEach(each -> Ids.ingress(to, each.server(), each.counter()));
            }
        }
    }

    /** Who knows of no numbers reads up to here. */
    private static void question(ByteWriter to, long question) {
        if (question != 0) {
            to.varint(question);
        }
    }

    private static long question(ByteReader from) {
        return from.isAtEnd() ? 0 : from.varint();
    }

    private static ByteWriter client(ByteWriter to, ClientId clientId) {
        return to.sized(clientId.bytes());
    }

    private static ByteWriter node(ByteWriter to, NodeStart node) {
        return to.server3(node.server()).varint(node.start());
    }

    private static ByteWriter claim(ByteWriter to, ClaimId claim) {
        return node(to, claim.by()).varint(claim.shard() + 1L).varint(claim.number());
    }

    private static void standing(ByteWriter to, Standing standing) {
        switch (standing) {
            case Standing.Nothing nothing -> to.u8(0);
            case Standing.Home home -> to.u8(1).varint(home.changes()).u8(home.durable() ? 1 : 0);
            case Standing.Given given ->
                    claim(to.u8(2).varint(given.changes()), given.to()).u8(given.durable() ? 1 : 0);
            case Standing.Ended ended -> to.u8(3).varint(ended.changes());
        }
    }

    private static void told(ByteWriter to, BitSet slots, List<Told> all) {
        to.sized(slots.toByteArray()).varint(all.size());
        all.forEach(told -> told(to, told));
    }

    private static void told(ByteWriter to, Told told) {
        standing(client(node(to, told.of()), told.clientId()), told.standing());
        to.varint(told.claims().size());
        for (ToldClaim each : told.claims()) {
            claim(to, each.claim()).varint(each.granted());
        }
    }

    // ---------------------------------------------------------------- reading

    /**
     * @return null for a code that is none of takeovers
     * @throws IndexOutOfBoundsException when it is not what the code says
     */
    public static @Nullable TakeoverMessage read(int code, ByteReader from) {
        return switch (code) {
            case 32 -> new Ask(client(from), claim(from));
            case 33 -> new Settled(client(from), claim(from), standing(from));
            case 34 -> new Stands(client(from), standing(from));
            case 35 -> new Tell(slots(from), told(from));
            case 36 -> new Withdraw(slots(from), from.u8() != 0);
            case 37 -> {
                ClientId clientId = client(from);
                ClaimId claim = claim(from);
                long changes = from.varint();
                int home = from.smallInt() - 1;
                yield new Granted(clientId, claim, changes, home, from.varint());
            }
            case 38 -> new OutOfReach(client(from), claim(from), from.server3());
            case 39 -> new Void(client(from), from.varint());
            case 40 -> new Lose(client(from), from.varint());
            case 41 ->
                    new Take(
                            client(from),
                            claim(from),
                            from.varint(),
                            from.varint(),
                            from.u8() != 0);
            case 42 -> new Header(client(from), claim(from), from.u8() == 0 ? null : from.sized());
            case 43 -> new NotHere(client(from), claim(from));
            case 44 -> new Whole(client(from), from.varint());
            case 45 -> new Dropped(client(from), from.varint());
            case 46 -> new RoomWanted(question(from));
            case 47 -> new Room(from.varint(), question(from));
            case 48 -> new Offer(client(from));
            case 49 -> new Oldest(client(from), from.varint());
            case 50 -> new Keep(slots(from), told(from));
            case 51 -> new Missing(from.server3());
            case 52 -> new Over(client(from), from.varint(), publishes(from));
            default -> null;
        };
    }

    private static ClientId client(ByteReader from) {
        return new ClientId(from.sized());
    }

    private static NodeStart node(ByteReader from) {
        return new NodeStart(from.server3(), from.varint());
    }

    private static ClaimId claim(ByteReader from) {
        return new ClaimId(node(from), from.smallInt() - 1, from.varint());
    }

    private static Standing standing(ByteReader from) {
        int kind = from.u8();
        return switch (kind) {
            case 0 -> Standing.NOTHING;
            case 1 -> new Standing.Home(from.varint(), from.u8() != 0);
            case 2 -> new Standing.Given(from.varint(), claim(from), from.u8() != 0);
            case 3 -> new Standing.Ended(from.varint());
            default -> throw new IndexOutOfBoundsException("standing " + kind);
        };
    }

    private static BitSet slots(ByteReader from) {
        BitSet slots = BitSet.valueOf(from.sized());
        if (slots.length() > Slots.COUNT) {
            throw new IndexOutOfBoundsException("slot " + (slots.length() - 1));
        }
        return slots;
    }

    private static List<IngressId> publishes(ByteReader from) {
        List<IngressId> publishes = new ArrayList<>();
        for (int left = from.size(); left > 0; left--) {
            publishes.add(Ids.ingress(from));
        }
        return publishes;
    }

    private static List<Told> told(ByteReader from) {
        List<Told> told = new ArrayList<>();
        for (int left = from.size(); left > 0; left--) {
            NodeStart of = node(from);
            ClientId clientId = client(from);
            Standing standing = standing(from);
            List<ToldClaim> claims = new ArrayList<>(0);
            for (int more = from.size(); more > 0; more--) {
                claims.add(new ToldClaim(claim(from), from.varint()));
            }
            told.add(new Told(of, clientId, standing, claims));
        }
        return told;
    }
}
