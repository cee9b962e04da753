package io.godwit.server;

import io.godwit.persistence.disk.StoreUnusable;
import io.godwit.persistence.rocks.RocksLook;
import io.godwit.server.cluster.ClusterPart;
import io.godwit.server.config.BindAddress;
import io.godwit.server.config.Config;
import io.godwit.server.config.DurabilityConfig;
import io.godwit.server.config.ListenerConfig;
import io.godwit.server.config.TlsConfig;
import io.godwit.server.config.UsersConfig;
import io.godwit.server.data.DataFolder;
import io.godwit.server.data.FolderLock;
import io.godwit.server.extension.ConfiguredExtensions;
import io.godwit.server.extension.ExtensionCheck;
import io.godwit.server.reload.FileMemory;
import io.godwit.server.rules.ActiveRules;
import io.godwit.server.security.users.UsersFile;
import io.godwit.server.security.users.UsersMistake;
import io.godwit.server.tls.ListenerTls;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Tries what a start opens, and changes nothing: files of TLS and of users, extensions, the data
 * folder, the store's format and the ports.
 */
final class StartCheck {
    private final Config config;
    private final FileMemory files;
    private final List<String> problems = new ArrayList<>();
    private final List<String> remarks = new ArrayList<>();

    /** A step of a start. */
    private interface Step {
        void run() throws StartFailed;
    }

    private StartCheck(Config config) {
        this.config = config;
        this.files = new FileMemory(config.security().filesBytesMax());
    }

    /** Tries everything. */
    static StartCheck of(Config config) {
        StartCheck check = new StartCheck(config);
        for (ListenerConfig each : config.listeners()) {
            TlsConfig tls = each.tls();
            if (tls != null) {
                check.attempt(() ->
                        ListenerTls.load(each.name(), tls, Instant.now(), check.files).release());
            }
        }
        UsersConfig users = config.security().users();
        if (users != null) check.attempt(() -> check.tryUsers(users));
        Path rules = config.security().rules();
        if (rules != null)
            check.attempt(() -> ActiveRules.open(rules, config.listenerNames(), check.files));
        if (config.cluster().enabled()) check.attempt(() -> ClusterPart.check(config));
        check.tryExtensions();
        Path data = config.node().data();
        if (FolderLock.isHeld(data)) {
            check.remarks.add(
                    "A broker is running with the data folder "
                            + data
                            + ": neither the store nor the ports were tried.");
        } else {
            check.attempt(() -> DataFolder.check(data));
            check.attempt(check::tryStore);
            check.tryPorts();
        }
        return check;
    }

    /** The sentences that a start would end with; empty = it would not. */
    List<String> problems() {
        return problems;
    }

    /** Returns a sentence for each check that was skipped. */
    List<String> remarks() {
        return remarks;
    }

    private void attempt(Step step) {
        try {
            step.run();
        } catch (StartFailed e) {
            problems.add(String.valueOf(e.getMessage()));
        }
    }

    private void tryUsers(UsersConfig users) throws StartFailed {
        try {
            UsersFile.check(users, files);
        } catch (UsersMistake e) {
            throw new StartFailed("security.users: " + e.getMessage(), e);
        }
    }

    private void tryStore() throws StartFailed {
        Path store = config.node().data().resolve(ConfiguredStore.FOLDER);
        if (config.durability().store() != DurabilityConfig.Store.ROCKSDB
                || !Files.exists(store.resolve("CURRENT"))) {
            return;
        }
        try {
            RocksLook.open(store).close();
        } catch (StoreUnusable e) {
            throw new StartFailed(String.valueOf(e.getMessage()), e);
        }
    }

    /** One that is not required is left out by a start, which goes on. */
    private void tryExtensions() {
        Set<String> named = ConfiguredExtensions.named(config);
        for (String id : ConfiguredExtensions.missing(config.extensions(), named)) {
            problems.add("extensions." + id + ": it is required, and has no folder");
        }
        try {
            for (ExtensionCheck each : ExtensionCheck.ofAll(config.extensions())) {
                boolean isRequired = each.isRequired() || named.contains(each.id());
                each.mistakes()
                        .forEach(text ->
                                (isRequired ? problems : remarks)
                                        .add("extensions." + each.id() + ": " + text));
            }
        } catch (IOException e) {
            remarks.add("extensions.folder: " + Causes.withFile(e));
        }
    }

    private void tryPorts() {
        for (ListenerConfig each : config.listeners()) {
            tryPort("listeners." + each.name() + ".bind", each.bind());
        }
        BindAddress admin = config.admin().bind();
        if (admin != null) tryPort("admin.bind", admin);
        if (config.cluster().enabled()) tryPort("cluster.bind", config.cluster().bind());
    }

    private void tryPort(String key, BindAddress bind) {
        InetSocketAddress address = bind.toSocketAddress();
        if (address.isUnresolved()) {
            problems.add(key + ": the host " + bind.host() + " is unknown");
            return;
        }
        if (address.getPort() == 0) return;
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(address, 1);
        } catch (IOException e) {
            problems.add(key + ": can't listen on " + bind + ": " + Causes.ofBind(e));
        }
    }
}
