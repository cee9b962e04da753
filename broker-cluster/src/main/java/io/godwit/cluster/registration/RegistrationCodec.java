package io.godwit.cluster.registration;

import io.godwit.cluster.registration.RegistrationMessage.Claimed;
import io.godwit.cluster.registration.RegistrationMessage.End;
import io.godwit.cluster.registration.RegistrationMessage.Ended;
import io.godwit.cluster.registration.RegistrationMessage.Granted;
import io.godwit.cluster.registration.RegistrationMessage.HasSession;
import io.godwit.cluster.registration.RegistrationMessage.NotLeader;
import io.godwit.cluster.registration.RegistrationMessage.OfStandIn;
import io.godwit.cluster.registration.RegistrationMessage.PublishWill;
import io.godwit.cluster.registration.RegistrationMessage.Refused;
import io.godwit.cluster.registration.RegistrationMessage.Register;
import io.godwit.cluster.registration.RegistrationMessage.Registered;
import io.godwit.cluster.registration.RegistrationMessage.Registration;
import io.godwit.cluster.registration.RegistrationMessage.TakenBack;
import io.godwit.cluster.registration.RegistrationMessage.Unregister;
import io.godwit.cluster.registration.RegistrationMessage.WillAnswered;
import io.godwit.cluster.registration.RegistrationMessage.WillDue;
import io.godwit.cluster.registration.RegistrationMessage.WillDue.Source;
import io.godwit.cluster.registration.RegistrationMessage.WillsDecided;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.operation.SessionCodec;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Will;
import io.godwit.core.takeover.ClaimingUser;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes and reads registration messages; several stand one behind the other.
 *
 * <pre>
 * 1 Register    client id sized | number varint | changes varint
 *               | flags 1: clean start 0, has a will 1, by a user 2, who has a name 3
 *               | connected at 8, by the sender's clock | [will] | [user name sized]
 * 2 Unregister  client id sized | number varint
 * 3 Ended       client id sized | number varint
 * 4 Registered  shard varint | shards varint | changes varint
 *               | n varint | n x (slot - slot before) varint
 *               | m varint | m x (client id sized | number x 16 varint
 *                                 | + 1: granted at 8 by a stand-in | + 2: will
 *                                 | + 4: by a user | + 8: user name sized)
 * 5 Granted     number varint | changes varint | granted at varint
 * 6 HasSession  number varint | changes varint
 * 7 NotLeader   number varint | changes varint | row sized
 * 8 Refused     number varint | changes varint | reason 1 | text sized
 * 9 End         client id sized | number varint
 * 10 TakenBack  shard varint | shards varint | changes varint
 *               | n varint | n x (slot - slot before) varint
 * 11 WillDue    client id sized | number varint | source 1 | will
 * 12 WillAnswered  number varint | settled 1
 * 13 WillsDecided  changes varint | n varint | n x (slot - slot before) varint
 *               | m varint | m x (server - server before) varint
 * + 64          to or from a stand-in
 * </pre>
 */
final class RegistrationCodec {
    private static final int OF_STAND_IN = 64;

    /** Server ids are below this. */
    private static final int SERVERS = 1 << 24;

    /** Flags of a connection: sessions belong to users, and its user has a name. */
    private static final int BY_USER = 4;

    private static final int HAS_NAME = 8;

    private RegistrationCodec() {}

    static void write(ByteWriter to, RegistrationMessage message) {
        if (message instanceof OfStandIn of) {
            write(to, of.message(), OF_STAND_IN);
        } else {
            write(to, message, 0);
        }
    }

    private static void write(ByteWriter to, RegistrationMessage message, int flag) {
        switch (message) {
            case Register m -> register(to.u8(1 + flag), m);
            case Unregister m -> client(to.u8(2 + flag), m.clientId(), m.number());
            case Ended m -> client(to.u8(3 + flag), m.clientId(), m.number());
            case Registered m -> registered(to.u8(4 + flag), m);
            case Granted m ->
                    to.u8(5 + flag).varint(m.number()).varint(m.changes()).varint(m.grantedAt());
            case HasSession m -> to.u8(6 + flag).varint(m.number()).varint(m.changes());
            case NotLeader m ->
                    to.u8(7 + flag).varint(m.number()).varint(m.changes()).sized(m.row());
            case Refused m ->
                    to.u8(8 + flag)
                            .varint(m.number())
                            .varint(m.changes())
                            .u8(m.reason().code())
                            .sized(m.text().getBytes(StandardCharsets.UTF_8));
            case End m -> client(to.u8(9 + flag), m.clientId(), m.number());
            case TakenBack m ->
                    rising(
                            to.u8(10 + flag)
                                    .varint(m.shard())
                                    .varint(m.shards())
                                    .varint(m.changes()),
                            m.slots());
            case WillDue m -> {
                client(to.u8(11 + flag), m.clientId(), m.number()).u8(m.source().ordinal());
                SessionCodec.will(to, m.will());
            }
            case WillAnswered m -> to.u8(12 + flag).varint(m.number()).u8(m.isSettled() ? 1 : 0);
            case WillsDecided m -> {
                rising(to.u8(13 + flag).varint(m.changes()), m.slots());
                rising(to, m.servers());
            }
            case PublishWill m -> throw new IllegalArgumentException("stays in its node: " + m);
            case Claimed m -> throw new IllegalArgumentException("stays in its node: " + m);
            case OfStandIn m -> throw new IllegalArgumentException("of a stand-in twice: " + m);
        }
    }

    private static ByteWriter client(ByteWriter to, ClientId clientId, long number) {
        return to.sized(clientId.bytes()).varint(number);
    }

    private static void register(ByteWriter to, Register message) {
        Will will = message.will();
        ClaimingUser by = message.by();
        client(to, message.clientId(), message.number())
                .varint(message.changes())
                .u8((message.cleanStart() ? 1 : 0) | (will == null ? 0 : 2) | userFlags(by))
                .long8(message.connectedMs());
        if (will != null) {
            SessionCodec.will(to, will);
        }
        userName(to, by);
    }

    private static int userFlags(@Nullable ClaimingUser by) {
        return by == null ? 0 : by.name() == null ? BY_USER : BY_USER | HAS_NAME;
    }

    private static void userName(ByteWriter to, @Nullable ClaimingUser by) {
        String name = by == null ? null : by.name();
        if (name != null) {
            to.sized(name.getBytes(StandardCharsets.UTF_8));
        }
    }

    private static @Nullable ClaimingUser user(ByteReader from, long flags) {
        if ((flags & BY_USER) == 0) {
            return null;
        }
        boolean hasName = (flags & HAS_NAME) != 0;
        return ClaimingUser.of(hasName ? new String(from.sized(), StandardCharsets.UTF_8) : null);
    }

    private static void registered(ByteWriter to, Registered message) {
        to.varint(message.shard()).varint(message.shards()).varint(message.changes());
        rising(to, message.slots());
        to.varint(message.all().size());
        for (Registration each : message.all()) {
            boolean isByStandIn = each.grantedAt() != 0;
            Will will = each.will();
            int flags = (isByStandIn ? 1 : 0) | (will == null ? 0 : 2) | userFlags(each.by());
            client(to, each.clientId(), each.number() << 4 | flags);
            if (isByStandIn) {
                to.long8(each.grantedAt());
            }
            if (will != null) {
                SessionCodec.will(to, will);
            }
            userName(to, each.by());
        }
    }

    private static void rising(ByteWriter to, List<Integer> numbers) {
        to.varint(numbers.size());
        int before = 0;
        for (int number : numbers) {
            to.varint(number - before);
            before = number;
        }
    }

    /**
     * Reads the next message.
     *
     * @throws IndexOutOfBoundsException when it is none
     */
    static RegistrationMessage read(ByteReader from) {
        int kind = from.u8();
        return (kind & OF_STAND_IN) == 0
                ? read(from, kind)
                : new OfStandIn(read(from, kind - OF_STAND_IN));
    }

    private static RegistrationMessage read(ByteReader from, int kind) {
        return switch (kind) {
            case 1 -> register(from);
            case 2 -> new Unregister(client(from), from.varint());
            case 3 -> new Ended(client(from), from.varint());
            case 4 -> registered(from);
            case 5 -> new Granted(from.varint(), from.varint(), from.varint());
            case 6 -> new HasSession(from.varint(), from.varint());
            case 7 -> new NotLeader(from.varint(), from.varint(), from.sized());
            case 8 -> {
                long number = from.varint();
                long changes = from.varint();
                ReasonCode reason = ReasonCode.of(from.u8());
                if (reason == null) {
                    throw new IndexOutOfBoundsException("no reason code");
                }
                yield new Refused(
                        number, changes, reason, new String(from.sized(), StandardCharsets.UTF_8));
            }
            case 9 -> new End(client(from), from.varint());
            case 10 -> new TakenBack(from.smallInt(), shards(from), from.varint(), slots(from));
            case 11 ->
                    new WillDue(client(from), from.varint(), source(from), SessionCodec.will(from));
            case 12 -> new WillAnswered(from.varint(), from.u8() != 0);
            case 13 -> new WillsDecided(from.varint(), slots(from), rising(from, SERVERS));
            default -> throw new IndexOutOfBoundsException("registration message " + kind);
        };
    }

    private static ClientId client(ByteReader from) {
        return new ClientId(from.sized());
    }

    private static Register register(ByteReader from) {
        ClientId clientId = client(from);
        long number = from.varint();
        long changes = from.varint();
        int flags = from.u8();
        long connectedMs = from.long8();
        Will will = (flags & 2) == 0 ? null : SessionCodec.will(from);
        return new Register(
                clientId, number, changes, (flags & 1) != 0, connectedMs, will, user(from, flags));
    }

    private static Source source(ByteReader from) {
        int source = from.u8();
        if (source >= Source.values().length) {
            throw new IndexOutOfBoundsException("source " + source + " of a Will");
        }
        return Source.values()[source];
    }

    private static Registered registered(ByteReader from) {
        int shard = from.smallInt();
        int shards = from.smallInt();
        long changes = from.varint();
        List<Integer> slots = slots(from);
        int registrations = from.size();
        List<Registration> all = new ArrayList<>(registrations);
        for (int i = 0; i < registrations; i++) {
            ClientId clientId = client(from);
            long number = from.varint();
            long grantedAt = (number & 1) == 0 ? 0 : from.long8();
            Will will = (number & 2) == 0 ? null : SessionCodec.will(from);
            all.add(new Registration(clientId, number >>> 4, grantedAt, will, user(from, number)));
        }
        return new Registered(shard, shards, changes, slots, all);
    }

    private static int shards(ByteReader from) {
        int shards = from.smallInt();
        if (shards == 0) {
            throw new IndexOutOfBoundsException("no shards");
        }
        return shards;
    }

    private static List<Integer> slots(ByteReader from) {
        return rising(from, ClientId.SLOTS);
    }

    private static List<Integer> rising(ByteReader from, int below) {
        int count = from.size();
        List<Integer> numbers = new ArrayList<>(count);
        int number = 0;
        for (int i = 0; i < count; i++) {
            number += from.smallInt();
            if (number < 0 || number >= below) {
                throw new IndexOutOfBoundsException(number + " is not below " + below);
            }
            numbers.add(number);
        }
        return numbers;
    }
}
