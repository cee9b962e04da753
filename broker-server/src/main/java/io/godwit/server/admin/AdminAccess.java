package io.godwit.server.admin;

import io.godwit.server.config.AdminConfig;
import io.godwit.server.config.BindAddress;
import io.godwit.server.config.Secret;
import io.godwit.server.http.HostName;
import io.godwit.server.http.OwnNames;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides who may ask the admin port for what:
 *
 * <pre>
 * health           everybody
 * reading          with the token; without it on a port that only this machine reaches, under a
 *                  name of this machine
 * what changes     with the token, if there is one; else from this machine, under a loopback name,
 *                  and with a header that no web page can send without being asked first
 * </pre>
 *
 * The names keep a web page out that is open in a browser of this machine and has made its own name
 * mean this machine (DNS rebinding).
 */
final class AdminAccess {
    /** Names the command; pages of other origins can't set it without a preflight, which fails. */
    static final String COMMAND_HEADER = "Godwit-Command";

    private static final String BEARER = "Bearer ";

    private final OwnNames names;
    private final @Nullable Secret token;
    private final AdminRefusals refusals;

    /** Whether other machines reach the port. */
    private final boolean isOpen;

    AdminAccess(AdminConfig config, String machine, AdminRefusals refusals) {
        names = new OwnNames(machine, config.hosts());
        token = config.token();
        this.refusals = refusals;
        BindAddress bind = config.bind();
        isOpen = bind != null && !bind.isLoopback();
    }

    /**
     * @param command what the request does; null when it only reads
     * @param from null when the peer has no address
     * @return null when it may
     */
    @Nullable HttpAnswer refusal(
            HttpRequest request, @Nullable String command, @Nullable InetSocketAddress from) {
        HttpHeaders headers = request.headers();
        List<String> hosts = headers.getAll(HttpHeaderNames.HOST);
        if (hosts.size() > 1
                || hosts.isEmpty() && request.protocolVersion().equals(HttpVersion.HTTP_1_1)) {
            return HttpAnswer.error(
                    HttpResponseStatus.BAD_REQUEST, "exactly one Host header is needed");
        }
        if (AdminRoutes.isHealth(request.uri())) {
            return null;
        }
        String said = headers.get(HttpHeaderNames.AUTHORIZATION);
        Secret expected = token;
        if (expected != null && said != null) {
            return said.startsWith(BEARER) && expected.is(said.substring(BEARER.length()))
                    ? null
                    : unauthorized();
        }
        // A request of HTTP/1.0 may have no Host; each browser's has.
        HostName host = hosts.isEmpty() ? null : HostName.parse(hosts.getFirst());
        if (!hosts.isEmpty() && (host == null || !names.include(host))) {
            refusals.count(AdminRefusal.HOST);
            return HttpAnswer.error(
                    HttpResponseStatus.FORBIDDEN,
                    "this Host is not one of this machine's names: use its address, or add the name to"
                            + " admin.hosts");
        }
        if (command == null && !isOpen) {
            return null;
        }
        if (expected != null) {
            return unauthorized();
        }
        if (command == null) {
            refusals.count(AdminRefusal.TOKEN);
            return HttpAnswer.error(
                    HttpResponseStatus.FORBIDDEN,
                    "admin.bind is open to other machines: without admin.token only /health is"
                            + " answered");
        }
        return local(from, host, command.equals(headers.get(COMMAND_HEADER)), command);
    }

    private @Nullable HttpAnswer local(
            @Nullable InetSocketAddress from,
            @Nullable HostName host,
            boolean hasHeader,
            String command) {
        String missing = null;
        if (from == null || !from.getAddress().isLoopbackAddress()) {
            missing = "must be requested on the broker's machine, or with admin.token";
        } else if (host == null || !host.isLoopback()) {
            missing = "must be requested at localhost, 127.0.0.1 or [::1], or with admin.token";
        } else if (!hasHeader) {
            missing = "needs the header " + COMMAND_HEADER + ": " + command;
        }
        if (missing == null) {
            return null;
        }
        refusals.count(AdminRefusal.COMMAND);
        return HttpAnswer.error(HttpResponseStatus.FORBIDDEN, "a " + command + " " + missing);
    }

    private HttpAnswer unauthorized() {
        refusals.count(AdminRefusal.TOKEN);
        return HttpAnswer.error(
                HttpResponseStatus.UNAUTHORIZED, "admin.token is set: send it as a bearer token");
    }
}
