package io.godwit.chaos;

import io.godwit.server.extension.TestExtension;
import java.nio.file.Path;
import java.util.List;

/** Has a broker run an extension whose interceptors see everything, and change nothing. */
final class Interceptors {
    private static final String PACKET = "io.godwit.extension.packet.";

    private Interceptors() {}

    /** Writes the extension into a folder below, and returns the settings of a broker with it. */
    static List<String> settings(Path folder) {
        TestExtension.starting(
                        "watcher",
                        """
                        context.registrations().publishInterceptor("#", (client, publish) ->
                                Interception.<%1$sPublishPacket>unchanged().now(), OnFailure.REFUSE);
                        context.registrations().deliveryInterceptor("#", (client, publish) ->
                                Interception.<%1$sPublishPacket>unchanged().now(), OnFailure.REFUSE);
                        context.registrations().subscribeInterceptor((client, subscribe) ->
                                Interception.<%1$sSubscribePacket>unchanged().now(),
                                OnFailure.REFUSE);
                        """
                                .formatted(PACKET))
                .writeTo(folder.resolve("extensions"));
        return List.of("extensions.folder=" + folder.resolve("extensions"), "extensions.watch=0");
    }
}
