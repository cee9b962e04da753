package io.godwit.cluster.registration;

import io.godwit.cluster.registration.RegistrationMessage.Claimed;
import io.godwit.cluster.registration.RegistrationMessage.End;
import io.godwit.cluster.registration.RegistrationMessage.Ended;
import io.godwit.cluster.registration.RegistrationMessage.Granted;
import io.godwit.cluster.registration.RegistrationMessage.HasSession;
import io.godwit.cluster.registration.RegistrationMessage.NotLeader;
import io.godwit.cluster.registration.RegistrationMessage.Refused;
import io.godwit.cluster.registration.RegistrationMessage.Register;
import io.godwit.cluster.registration.RegistrationMessage.Registered;
import io.godwit.cluster.registration.RegistrationMessage.Registration;
import io.godwit.cluster.registration.RegistrationMessage.Unregister;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.ReasonCode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes and reads registration messages; several stand one behind the other.
 *
 * <pre>
 * 1 Register    client id sized | number varint | changes varint | clean start 1
 * 2 Unregister  client id sized | number varint
 * 3 Ended       client id sized | number varint
 * 4 Registered  shard varint | shards varint | changes varint
 *               | n varint | n x (slot - slot before) varint | m varint | m x (client id sized | number varint)
 * 5 Granted     number varint | changes varint
 * 6 HasSession  number varint | changes varint
 * 7 NotLeader   number varint | changes varint | row sized
 * 8 Refused     number varint | changes varint | reason 1 | text sized
 * 9 End         client id sized | number varint
 * </pre>
 */
final class RegistrationCodec {
    private RegistrationCodec() {}

    static void write(ByteWriter to, RegistrationMessage message) {
        switch (message) {
            case Register m ->
                    client(to.u8(1), m.clientId(), m.number())
                            .varint(m.changes())
                            .u8(m.cleanStart() ? 1 : 0);
            case Unregister m -> client(to.u8(2), m.clientId(), m.number());
            case Ended m -> client(to.u8(3), m.clientId(), m.number());
            case Registered m -> registered(to.u8(4), m);
            case Granted m -> to.u8(5).varint(m.number()).varint(m.changes());
            case HasSession m -> to.u8(6).varint(m.number()).varint(m.changes());
            case NotLeader m -> to.u8(7).varint(m.number()).varint(m.changes()).sized(m.row());
            case Refused m ->
                    to.u8(8)
                            .varint(m.number())
                            .varint(m.changes())
                            .u8(m.reason().code())
                            .sized(m.text().getBytes(StandardCharsets.UTF_8));
            case End m -> client(to.u8(9), m.clientId(), m.number());
            case Claimed m -> throw new IllegalArgumentException("stays in its node: " + m);
        }
    }

    private static ByteWriter client(ByteWriter to, ClientId clientId, long number) {
        return to.sized(clientId.bytes()).varint(number);
    }

    private static void registered(ByteWriter to, Registered message) {
        to.varint(message.shard()).varint(message.shards()).varint(message.changes());
        to.varint(message.slots().size());
        int before = 0;
        for (int slot : message.slots()) {
            to.varint(slot - before);
            before = slot;
        }
        to.varint(message.all().size());
        for (Registration each : message.all()) {
            client(to, each.clientId(), each.number());
        }
    }

    /**
     * Reads the next message.
     *
     * @throws IndexOutOfBoundsException when it is none
     */
    static RegistrationMessage read(ByteReader from) {
        int kind = from.u8();
        return switch (kind) {
            case 1 -> {
                ClientId clientId = client(from);
                yield new Register(clientId, from.varint(), from.varint(), from.u8() != 0);
            }
            case 2 -> new Unregister(client(from), from.varint());
            case 3 -> new Ended(client(from), from.varint());
            case 4 -> registered(from);
            case 5 -> new Granted(from.varint(), from.varint());
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
            default -> throw new IndexOutOfBoundsException("registration message " + kind);
        };
    }

    private static ClientId client(ByteReader from) {
        return new ClientId(from.sized());
    }

    private static Registered registered(ByteReader from) {
        int shard = from.smallInt();
        int shards = from.smallInt();
        long changes = from.varint();
        int count = from.size();
        List<Integer> slots = new ArrayList<>(count);
        int slot = 0;
        for (int i = 0; i < count; i++) {
            slot += from.smallInt();
            if (slot < 0 || slot >= ClientId.SLOTS) {
                throw new IndexOutOfBoundsException("slot " + slot);
            }
            slots.add(slot);
        }
        int registrations = from.size();
        List<Registration> all = new ArrayList<>(registrations);
        for (int i = 0; i < registrations; i++) {
            all.add(new Registration(client(from), from.varint()));
        }
        return new Registered(shard, shards, changes, slots, all);
    }
}
