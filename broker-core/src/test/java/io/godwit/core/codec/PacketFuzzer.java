package io.godwit.core.codec;

import com.sun.management.ThreadMXBean;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ProtocolVersion;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Throws mutated packets at the decoder and looks at each outcome from several sides:
 *
 * <ul>
 *   <li>nothing but {@link ProtocolViolation} is thrown, and nobody keeps the buffer;
 *   <li>{@link ReferenceParser} comes to the same yes or no;
 *   <li>what lies behind the readable bytes makes no difference;
 *   <li>what was accepted, encoded and decoded again, is the same;
 *   <li>memory is taken for bytes that are there, never for a number in a length field.
 * </ul>
 *
 * Each input has its own seed, so a finding replays alone.
 */
final class PacketFuzzer {
    private static final int BUFFER_BYTES = 1 << 16;
    private static final int GUARD_BYTES = 64;

    /** Room for the values of a small packet; then so many bytes for each byte of the input. */
    private static final long ALLOCATED_MAX = 4_096;

    private static final long ALLOCATED_PER_BYTE = 128;

    /** The topic cache may be filled by any input: its entries are small here. */
    private static final int TOPICS = 64;

    private final PacketDecoder[] decoders = new PacketDecoder[2];
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    long inputs;
    long reachedBody;
    long accepted;
    long refused;

    PacketFuzzer() {
        this(PacketReader::new);
    }

    /**
     * @param readers a bug may be planted here
     */
    PacketFuzzer(Supplier<PacketReader> readers) {
        for (Role role : Role.values()) {
            decoders[role.ordinal()] = new PacketDecoder(role, TOPICS, readers.get());
        }
    }

    /** Runs inputs {@code seed}, {@code seed + 1} and so on; returns the first finding or null. */
    @Nullable String run(long seed, long count) {
        ByteBuf buffer = allocator.directBuffer(BUFFER_BYTES, BUFFER_BYTES);
        try {
            for (long i = 0; i < count; i++) {
                String finding = one(seed + i, buffer);
                if (finding != null) {
                    return finding;
                }
            }
        } finally {
            buffer.release();
        }
        long left = allocator.metric().usedDirectMemory();
        return left == 0 ? null : left + " bytes of direct memory were not given back";
    }

    private @Nullable String one(long seed, ByteBuf buffer) {
        SplittableRandom random = new SplittableRandom(seed * 0x9E3779B97F4A7C15L);
        RandomPackets packets = new RandomPackets(random, false);
        Role role = random.nextInt(3) == 0 ? Role.CLIENT : Role.SERVER;
        ProtocolVersion version = ProtocolVersion.values()[Math.min(2, random.nextInt(5))];
        Packet packet = packets.next(role, version);
        byte[] other = encode(packets.next(role, version), version);
        byte[] input = new PacketMutator(random).mutate(encode(packet, version), other);
        ProtocolVersion before = packet.type() == PacketType.CONNECT ? null : version;
        inputs++;
        String finding;
        try {
            finding = judge(input, role, before, buffer);
        } catch (RuntimeException | Error e) {
            finding = "threw " + e;
        }
        return finding == null
                ? null
                : "seed %d, %s, %s, %s: %s"
                        .formatted(seed, role, before, HexFormat.of().formatHex(input), finding);
    }

    private @Nullable String judge(
            byte[] input, Role role, @Nullable ProtocolVersion version, ByteBuf buffer) {
        Outcome outcome = decode(input, role, version, buffer, 0);
        byte[] whole = firstWhole(input);
        reachedBody += outcome.reachedBody ? 1 : 0;
        accepted += outcome.packet != null ? 1 : 0;
        refused += outcome.violation != null ? 1 : 0;
        if (whole != null) {
            boolean isValid = ReferenceParser.isValid(whole, role, version);
            if (isValid != (outcome.packet != null)) {
                return "the reference says " + (isValid ? "valid" : "invalid") + ", not " + outcome;
            }
        } else if (outcome.packet != null) {
            return "decoded before it was there whole";
        }
        Outcome again = decode(input, role, version, buffer, 0xFF);
        // What is loaded or linked when it is first used is taken once, a bug takes it each time.
        long allocated = Math.min(outcome.allocated, again.allocated);
        if (allocated > ALLOCATED_MAX + ALLOCATED_PER_BYTE * input.length) {
            return "took " + allocated + " bytes of memory";
        }
        if (!outcome.toString().equals(again.toString())) {
            return "what lies behind the packet changes the outcome";
        }
        return outcome.packet == null ? null : encodeAndDecode(outcome, role, version, buffer);
    }

    /** The packet that the input begins with, by its own header; null when it is cut off. */
    private static byte @Nullable [] firstWhole(byte[] input) {
        int length = 0;
        for (int i = 1; i < input.length && i < 5; i++) {
            length |= (input[i] & 0x7F) << 7 * (i - 1);
            if (input[i] >= 0) {
                int end = 1 + i + length;
                return end <= input.length ? Arrays.copyOf(input, end) : null;
            }
        }
        return null;
    }

    private @Nullable String encodeAndDecode(
            Outcome outcome, Role role, @Nullable ProtocolVersion version, ByteBuf buffer) {
        Packet packet = outcome.packet;
        ProtocolVersion spoken =
                packet instanceof Packet.Connect connect ? connect.version() : version;
        if (packet == null || spoken == null) {
            return "accepted without a version";
        }
        byte[] once = encode(packet, spoken);
        Outcome second = decode(once, role, version, buffer, 0);
        if (second.packet == null) {
            return "encoded again it is refused: " + second;
        }
        boolean isSame =
                outcome.toString().equals(second.toString())
                        && Arrays.equals(once, encode(second.packet, spoken));
        return isSame ? null : "encoded and decoded again it is another: " + second;
    }

    private Outcome decode(
            byte[] input, Role role, @Nullable ProtocolVersion version, ByteBuf buffer, int guard) {
        buffer.clear().writeBytes(input);
        for (int i = 0; i < GUARD_BYTES; i++) {
            buffer.setByte(input.length + i, guard);
        }
        InboundState state = new InboundState(BUFFER_BYTES);
        state.version = version;
        Outcome outcome = new Outcome();
        PacketDecoder decoder = decoders[role.ordinal()];
        RecordingSink sink = outcome.sink;
        sink.packetsMax = 1;
        long before = threads.getCurrentThreadAllocatedBytes();
        try {
            int length = decoder.frameLength(buffer, 0, input.length, state);
            outcome.reachedBody = length != PacketDecoder.INCOMPLETE && length <= input.length;
            decoder.decode(buffer, state, sink);
        } catch (ProtocolViolation violation) {
            outcome.violation = violation;
        }
        outcome.allocated = threads.getCurrentThreadAllocatedBytes() - before;
        if (buffer.refCnt() != 1) {
            throw new AssertionError("reference count " + buffer.refCnt());
        }
        outcome.packet = sink.packets.isEmpty() ? null : sink.packets.get(0);
        return outcome;
    }

    private static byte[] encode(Packet packet, ProtocolVersion version) {
        ByteBuf out = Unpooled.buffer();
        PacketEncoder.encode(packet, version, out);
        byte[] bytes = new byte[out.readableBytes()];
        out.readBytes(bytes);
        return bytes;
    }

    /** What the decoder made of one input. */
    private static final class Outcome {
        final RecordingSink sink = new RecordingSink();
        @Nullable Packet packet;
        @Nullable ProtocolViolation violation;
        boolean reachedBody;
        long allocated;

        @Override
        public String toString() {
            return violation != null
                    ? violation.reason() + ": " + violation.getMessage()
                    : packet == null ? "nothing" : packet.toString().replaceAll("\\[B@\\w+", "");
        }
    }
}
