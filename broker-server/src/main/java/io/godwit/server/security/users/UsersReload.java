package io.godwit.server.security.users;

import io.godwit.server.reload.ReloadResult;
import io.godwit.server.reload.Reloadable;
import java.util.Set;
import java.util.function.Consumer;

/** Reads the file of users again. */
public final class UsersReload implements Reloadable {
    private final Users users;
    private final Consumer<Set<String>> onRevoked;

    /**
     * @param onRevoked takes the names of users whose line is gone or has another hash, if there
     *     are any
     */
    public UsersReload(Users users, Consumer<Set<String>> onRevoked) {
        this.users = users;
        this.onRevoked = onRevoked;
    }

    @Override
    public String name() {
        return "users";
    }

    @Override
    public ReloadResult reload() {
        try {
            Users.Reloaded reloaded = users.reload();
            if (!reloaded.isChanged()) {
                return ReloadResult.unchanged();
            }
            if (!reloaded.revoked().isEmpty()) {
                onRevoked.accept(reloaded.revoked());
            }
            return ReloadResult.changed(reloaded.summary());
        } catch (UsersMistake e) {
            return ReloadResult.failed(String.valueOf(e.getMessage()));
        }
    }
}
