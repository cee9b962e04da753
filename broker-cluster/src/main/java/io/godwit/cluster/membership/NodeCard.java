package io.godwit.cluster.membership;

import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import java.nio.charset.StandardCharsets;

/**
 * What a node says of itself in a hello.
 *
 * <pre>
 * protocol lowest varint | highest varint | cluster sized          as they are in all versions
 * process 8 | uptime ms varint | wall clock ms varint | name sized | client address sized | version sized
 * what later versions add
 * </pre>
 *
 * @param protocolMin the lowest version of messages between nodes that it speaks
 * @param protocolMax the highest
 * @param cluster name of the cluster that it wants to be in
 * @param process drawn at random at its start: two processes with one server id differ in it
 * @param uptimeMs since its start
 * @param wallMs its wall clock, epoch milliseconds
 * @param name of the node, for people
 * @param clientAddress where clients reach it, for redirects; empty: not configured
 * @param version of its program, for people
 */
public record NodeCard(
        int protocolMin,
        int protocolMax,
        String cluster,
        long process,
        long uptimeMs,
        long wallMs,
        String name,
        String clientAddress,
        String version) {

    byte[] toBytes() {
        return new ByteWriter(128)
                .varint(protocolMin)
                .varint(protocolMax)
                .sized(utf8(cluster))
                .long8(process)
                .varint(uptimeMs)
                .varint(wallMs)
                .sized(utf8(name))
                .sized(utf8(clientAddress))
                .sized(utf8(version))
                .toBytes();
    }

    /**
     * @throws IndexOutOfBoundsException when it is not a card
     */
    static NodeCard read(ByteReader in) {
        return new NodeCard(
                in.smallInt(),
                in.smallInt(),
                text(in),
                in.long8(),
                in.varint(),
                in.varint(),
                text(in),
                text(in),
                text(in));
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(ByteReader in) {
        return new String(in.sized(), StandardCharsets.UTF_8);
    }
}
