package io.godwit.server.extension.call;

import io.godwit.core.auth.Subject;
import io.godwit.core.codec.PacketEncoder;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.review.PacketOutcome;
import io.godwit.core.review.PacketReviewer;
import io.godwit.extension.client.Client;
import io.godwit.extension.intercept.Interception;
import io.godwit.extension.intercept.PacketInterceptor;
import io.godwit.extension.intercept.PacketPoint;
import io.godwit.server.extension.PointInterceptor;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Has the interceptors of all extensions see the packets of their points. */
final class PacketReviews implements PacketReviewer {
    private static final int PACKET_BYTES = 100;
    private static final String IN = "_IN";
    private static final String OUT = "_OUT";

    private final Map<PacketType, List<ActiveHook<PointInterceptor>>> in =
            new EnumMap<>(PacketType.class);
    private final Map<PacketType, List<ActiveHook<PointInterceptor>>> out =
            new EnumMap<>(PacketType.class);
    private final List<ActiveHook<PointInterceptor>> interceptors;
    private final HookOrder extensions;
    private final int packetBytesMax;

    PacketReviews(
            List<ActiveHook<PointInterceptor>> interceptors,
            HookOrder extensions,
            int packetBytesMax) {
        this.interceptors = List.copyOf(interceptors);
        this.extensions = extensions;
        this.packetBytesMax = packetBytesMax;
        for (ActiveHook<PointInterceptor> each : interceptors) {
            PacketPoint<?> point = each.target().point();
            of(isOut(point)).computeIfAbsent(type(point), type -> new ArrayList<>()).add(each);
        }
    }

    private Map<PacketType, List<ActiveHook<PointInterceptor>>> of(boolean isOut) {
        return isOut ? out : in;
    }

    private static boolean isOut(PacketPoint<?> point) {
        return !point.name().endsWith(IN) && point != PacketPoint.PINGREQ;
    }

    private static PacketType type(PacketPoint<?> point) {
        return PacketType.valueOf(point.name().replace(IN, "").replace(OUT, ""));
    }

    /** Returns what reviews a client for which extensions have set up something of its own. */
    PacketReviews with(Collection<OwnSetup> own) {
        return new PacketReviews(
                extensions.with(interceptors, own, OwnSetup::packetInterceptors),
                extensions,
                packetBytesMax);
    }

    private PacketReviews of(Subject client) {
        return client.setup() instanceof SetUpClient own ? own.packets(this) : this;
    }

    private PacketReviews now(Subject client) {
        return client.setup() instanceof SetUpClient own ? with(own.setups().values()) : this;
    }

    private List<ActiveHook<PointInterceptor>> of(PacketType type, boolean isOut) {
        return of(isOut).getOrDefault(type, List.of());
    }

    List<ActiveHook<PointInterceptor>> interceptors() {
        return interceptors;
    }

    @Override
    public boolean sees(Subject client, PacketType type, boolean isOut) {
        return of(client).of(isOut).containsKey(type);
    }

    @Override
    public void review(
            Subject client,
            ProtocolVersion version,
            Packet packet,
            boolean isOut,
            Consumer<PacketOutcome> answer) {
        new Chain(of(client).of(packet.type(), isOut), client, version, packet, isOut, answer)
                .begin();
    }

    private final class Chain
            extends InterceptorChain<PointInterceptor, Object, Packet, PacketOutcome> {
        private final Subject client;
        private final ProtocolVersion version;
        private final PacketType type;
        private final boolean isOut;
        private final Consumer<PacketOutcome> answer;
        private @Nullable Client shownClient;

        Chain(
                List<ActiveHook<PointInterceptor>> interceptors,
                Subject client,
                ProtocolVersion version,
                Packet packet,
                boolean isOut,
                Consumer<PacketOutcome> answer) {
            super(
                    interceptors,
                    CallKind.PACKET_INTERCEPTOR,
                    PACKET_BYTES + PacketEncoder.encodedLength(packet, version),
                    packet);
            this.client = client;
            this.version = version;
            this.type = packet.type();
            this.isOut = isOut;
            this.answer = answer;
        }

        @Override
        String clientId() {
            return client.clientId().toString();
        }

        @Override
        void whenChanged(Runnable then) {
            if (client.setup() instanceof SetUpClient own) {
                own.whenChanged(then);
            } else {
                then.run();
            }
        }

        @Override
        List<ActiveHook<PointInterceptor>> hooksOf(ExtensionHooks after) {
            return after.askedAboutPackets().now(client).of(type, isOut);
        }

        @Override
        Object shown(Packet given) {
            return PointPackets.shown(given);
        }

        @Override
        @SuppressWarnings("unchecked") // A point has the type of its packets.
        @Nullable CompletionStage<Interception<Object>> ask(PointInterceptor target, Object packet)
                throws Exception {
            Client shown = shownClient;
            if (shown == null) {
                shown = Packets.client(client, version);
                shownClient = shown;
            }
            return ((PacketInterceptor<Object>) target.interceptor()).onPacket(shown, packet);
        }

        @Override
        Packet made(Object made, Object before, Packet given) throws BadAnswer {
            return PointPackets.made(made, given, isOut, version, packetBytesMax);
        }

        @Override
        PacketOutcome stopped(Interception<Object> answer) throws BadAnswer {
            throw new BadAnswer("a packet of this point can't be dropped or refused");
        }

        @Override
        PacketOutcome goes(Packet made) {
            return new PacketOutcome.Go(made);
        }

        @Override
        PacketOutcome failed(CallFailure cause) {
            return new PacketOutcome.Failed();
        }

        @Override
        void finish(PacketOutcome outcome) {
            answer.accept(outcome);
        }
    }
}
