package io.godwit.server;

import io.godwit.core.auth.AccessControl;
import io.godwit.core.auth.AnonymousAccess;
import io.godwit.core.auth.Authenticator;
import io.godwit.core.auth.Authenticators;
import io.godwit.core.auth.CertificateIdentity;
import io.godwit.core.auth.EnhancedAuthenticator;
import io.godwit.core.auth.Security;
import io.godwit.server.config.AdminConfig;
import io.godwit.server.config.Config;
import io.godwit.server.config.ListenerConfig;
import io.godwit.server.config.SecurityConfig;
import io.godwit.server.config.TlsConfig;
import io.godwit.server.config.UsersConfig;
import io.godwit.server.listener.Admission;
import io.godwit.server.listener.OpenFiles;
import io.godwit.server.loop.Transport;
import io.godwit.server.reload.FileMemory;
import io.godwit.server.security.users.Users;
import io.godwit.server.security.users.UsersMistake;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Parts of a {@link Server} that follow from its configuration and from the machine alone. */
final class ConfiguredParts {
    private static final Logger log = LoggerFactory.getLogger(Server.class);

    private ConfiguredParts() {}

    static Transport transport(Config config) throws StartFailed {
        return switch (config.server().transport()) {
            case AUTO -> Transport.best();
            case NIO -> Transport.NIO;
            case EPOLL -> {
                if (!Transport.epollProblem().isEmpty()) {
                    throw new StartFailed(
                            "server.transport: epoll does not load on this machine ("
                                    + Transport.epollProblem()
                                    + "); auto would use NIO instead");
                }
                yield Transport.EPOLL;
            }
        };
    }

    /** Opens the file of users; null: there is none. */
    static @Nullable Users users(Config config, FileMemory files) throws StartFailed {
        UsersConfig users = config.security().users();
        if (users == null) {
            return null;
        }
        try {
            return Users.open(
                    users,
                    config.security().authenticateMs(),
                    listener -> isLast(config, listener),
                    files,
                    new SecureRandom());
        } catch (UsersMistake e) {
            throw new StartFailed("security.users: " + e.getMessage(), e);
        }
    }

    /** Whether nobody is asked at the listener behind the file of users. */
    private static boolean isLast(Config config, String listener) {
        List<String> chain = config.security().authenticators();
        for (ListenerConfig each : config.listeners()) {
            if (each.name().equals(listener) && !each.authenticators().isEmpty()) {
                chain = each.authenticators();
            }
        }
        return !chain.isEmpty() && chain.getLast().equals(SecurityConfig.USERS);
    }

    /** Returns the authenticators that there are, by name. */
    static Map<String, Authenticator> authenticators(@Nullable Users users) {
        return users == null ? Map.of() : Map.of(SecurityConfig.USERS, users.authenticator());
    }

    /** Returns the Authentication Methods that there are, by name. */
    static Map<String, EnhancedAuthenticator> methods(
            @Nullable Users users, Map<String, EnhancedAuthenticator> others) {
        Map<String, EnhancedAuthenticator> methods = new HashMap<>(others);
        if (users != null) {
            methods.put(users.scram().method(), users.scram());
        }
        return methods;
    }

    /** Makes what decides who comes in. */
    static Security security(Config config, Authenticators authenticators, AccessControl rules) {
        SecurityConfig security = config.security();
        Map<String, CertificateIdentity> certificates = new HashMap<>();
        for (ListenerConfig each : config.listeners()) {
            TlsConfig.Identity identity = each.identity();
            if (identity.source() != TlsConfig.IdentitySource.NONE) {
                TlsConfig.IdentityUse use = identity.usedFor();
                certificates.put(
                        each.name(),
                        new CertificateIdentity(
                                use != TlsConfig.IdentityUse.CLIENT_ID,
                                use != TlsConfig.IdentityUse.USER_NAME,
                                identity.andPassword()));
            }
        }
        return new Security(
                authenticators,
                certificates,
                anonymousAccess(security.anonymous()),
                rules,
                security.owner() == SecurityConfig.Owner.USER
                        ? Security.SessionOwner.USER
                        : Security.SessionOwner.ANYONE,
                security.authenticateMs());
    }

    static AnonymousAccess anonymousAccess(SecurityConfig.Anonymous who) {
        AnonymousAccess.Policy policy =
                switch (who) {
                    case AUTO, LOOPBACK -> AnonymousAccess.Policy.LOOPBACK;
                    case NOBODY -> AnonymousAccess.Policy.NOBODY;
                    case EVERYONE -> AnonymousAccess.Policy.EVERYONE;
                };
        return new AnonymousAccess(
                policy,
                () ->
                        log.warn(
                                "A client sent a user name or password: they are not checked, since there"
                                        + " are no users (security.users); security.anonymous (now {}) alone decides"
                                        + " who may connect",
                                who.name().toLowerCase(Locale.ROOT)));
    }

    /** The smaller of limits.connections and what the open files allow. */
    static Admission admission(Config config, int shards) {
        int wanted = config.limits().connections();
        int reserve = config.server().openFilesReserve();
        OptionalInt limit = OpenFiles.limit();
        int max = wanted;
        if (limit.isPresent()) {
            reserve = Math.min(reserve, limit.getAsInt() / 4);
            int own = OpenFiles.inUse() + shards * config.listeners().size();
            max = Math.max(1, Math.min(wanted, limit.getAsInt() - own - reserve));
            if (max < wanted) {
                log.info(
                        "At most {} connections: {} open files (ulimit -n), minus {} in use and {}"
                                + " reserved",
                        max,
                        limit.getAsInt(),
                        own,
                        reserve);
            }
        }
        return new Admission(max, Math.max(1, reserve / 2));
    }

    /**
     * @param isAuthenticating whether extensions authenticate clients
     */
    static void warnOfOpenDoors(Config config, boolean isAuthenticating) {
        AdminConfig admin = config.admin();
        if (admin.bind() != null && !admin.bind().isLoopback() && admin.token() == null) {
            log.warn(
                    "The admin port {} is open to other machines, and answers /health alone: set"
                            + " admin.token for the rest",
                    admin.bind());
        }
        boolean someoneIsAsked =
                isAuthenticating
                        || !config.security().authenticators().isEmpty()
                        || config.listeners().stream()
                                .anyMatch(each ->
                                        !each.authenticators().isEmpty()
                                                || each.identity().source()
                                                        != TlsConfig.IdentitySource.NONE);
        SecurityConfig.Anonymous anonymous = config.security().anonymous();
        if (isAuthenticating && config.security().auto().anonymous()) {
            anonymous = SecurityConfig.Anonymous.NOBODY;
        }
        switch (anonymous) {
            case AUTO, LOOPBACK ->
                    log.warn(
                            "Clients on this machine connect without a password, others {}"
                                    + " (security.anonymous: loopback). docs/security.md says how to let"
                                    + " others in",
                            someoneIsAsked ? "need credentials" : "are refused");
            case EVERYONE ->
                    log.warn(
                            "Everyone who reaches a listener connects without a password"
                                    + " (security.anonymous: everyone)");
            case NOBODY -> {
                if (!someoneIsAsked) {
                    log.warn(
                            "Nobody can connect: there are no users (security.users), and"
                                    + " security.anonymous is nobody");
                }
            }
        }
    }
}
