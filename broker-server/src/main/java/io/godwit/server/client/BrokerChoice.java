package io.godwit.server.client;

import io.godwit.core.codec.Utf8Check;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/** Options of a client command that say which broker it connects to, and as whom. */
final class BrokerChoice {
    private static final int PORT = 1883;
    private static final int TLS_PORT = 8883;
    private static final int PORT_MAX = 65_535;
    private static final long NEVER = 0xFFFF_FFFFL;

    private String host = "localhost";
    private int port;
    private String version = "5";
    private @Nullable String id;
    private @Nullable String userName;
    private @Nullable String password;
    private int keepAliveSeconds = 60;
    private boolean tls;
    private @Nullable Path ca;
    private boolean insecure;

    /** Adds these options to a command's. */
    void addTo(OptionTable table) {
        table.add(
                        "-h",
                        "--host",
                        "HOST",
                        "host name or address of the broker (localhost)",
                        text -> host = text)
                .addNumber(
                        "-p",
                        "--port",
                        "PORT",
                        "its port (1883; with TLS 8883)",
                        number -> port = number == 0 ? -1 : number)
                .add(
                        "-V",
                        "--protocol-version",
                        "VERSION",
                        "5, 3.1.1 or 3.1 (5)",
                        text -> version = text)
                .add("-i", "--id", "ID", "client id (a random one)", text -> id = text)
                .add("-u", "--username", "NAME", "user name", text -> userName = text)
                .add(
                        "-P",
                        "--pw",
                        "PASSWORD",
                        "password; other users of this machine may see it in the list of processes",
                        text -> password = text)
                .addNumber(
                        "-k",
                        "--keepalive",
                        "SECONDS",
                        "keep alive interval; 0: none (60)",
                        number -> keepAliveSeconds = number)
                .addFlag("", "--tls", "encrypts the connection", () -> tls = true)
                .add(
                        "",
                        "--ca",
                        "FILE",
                        "PEM file of the certificate authorities to trust, instead of the JDK's; implies --tls",
                        this::setCa)
                .addFlag(
                        "",
                        "--insecure",
                        "accepts any certificate, so that anyone can pose as the broker; implies --tls",
                        () -> insecure = true);
    }

    private void setCa(String file) throws WrongOption {
        try {
            ca = Path.of(file);
        } catch (InvalidPathException e) {
            throw new WrongOption("--ca: '" + file + "' can't be a file");
        }
    }

    /** Where to connect to. */
    record Address(String host, int port, @Nullable ClientTls tls) {
        @Override
        public String toString() {
            return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
        }
    }

    Address address() throws WrongOption {
        boolean isEncrypted = tls || ca != null || insecure;
        int chosen = port != 0 ? port : isEncrypted ? TLS_PORT : PORT;
        if (chosen < 1 || chosen > PORT_MAX) {
            throw new WrongOption("-p: allowed are 1..65535");
        }
        return new Address(host, chosen, isEncrypted ? new ClientTls(ca, insecure) : null);
    }

    ProtocolVersion version() throws WrongOption {
        return switch (version) {
            case "5", "5.0", "mqttv5" -> ProtocolVersion.MQTT_5;
            case "3.1.1", "311", "4", "mqttv311" -> ProtocolVersion.MQTT_3_1_1;
            case "3.1", "31", "3", "mqttv31" -> ProtocolVersion.MQTT_3_1;
            default ->
                    throw new WrongOption(
                            "-V: allowed are 5, 3.1.1 and 3.1, not '" + version + "'");
        };
    }

    /**
     * Makes the CONNECT.
     *
     * @param isDurable whether the session outlives the connection
     */
    Packet.Connect connect(boolean isDurable) throws WrongOption {
        ProtocolVersion chosen = version();
        if (isDurable && (id == null || id.isEmpty())) {
            throw new WrongOption("-c needs -i: the session is found by the client id");
        }
        if (keepAliveSeconds < 0 || keepAliveSeconds > 65_535) {
            throw new WrongOption("-k: allowed are 0..65535 seconds");
        }
        if (!chosen.isV5() && password != null && userName == null) {
            throw new WrongOption("-P needs -u before MQTT 5.0");
        }
        if (id == null) id = "godwit-" + Long.toHexString(new SecureRandom().nextLong());
        boolean isKept = isDurable && chosen.isV5();
        return new Packet.Connect(
                chosen,
                new ClientId(utf8("-i", id)),
                !isDurable,
                keepAliveSeconds,
                null,
                userName == null ? null : new String(utf8("-u", userName), StandardCharsets.UTF_8),
                password == null ? null : password.getBytes(StandardCharsets.UTF_8),
                false,
                isKept
                        ? Properties.builder().add(Property.SESSION_EXPIRY_INTERVAL, NEVER).build()
                        : Properties.NONE);
    }

    /** Checks that a text may stand in a packet. */
    static byte[] utf8(String option, String text) throws WrongOption {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > 65_535 || !Utf8Check.isString(bytes, 0, bytes.length)) {
            throw new WrongOption(option + ": at most 65535 bytes of text, without U+0000");
        }
        return bytes;
    }
}
