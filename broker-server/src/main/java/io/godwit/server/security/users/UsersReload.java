package io.godwit.server.security.users;

import io.godwit.server.reload.ReloadResult;
import io.godwit.server.reload.Reloadable;

/** Reads the file of users again. */
public final class UsersReload implements Reloadable {
    private final Users users;
    private final Runnable onRemoved;

    /**
     * @param onRemoved has connected clients looked at again, since users were removed
     */
    public UsersReload(Users users, Runnable onRemoved) {
        this.users = users;
        this.onRemoved = onRemoved;
    }

    @Override
    public String name() {
        return "users";
    }

    @Override
    public ReloadResult reload() {
        try {
            Users.Reloaded reloaded = users.reload();
            if (reloaded.isAnyRemoved()) {
                onRemoved.run();
            }
            return reloaded.isChanged()
                    ? ReloadResult.changed(reloaded.summary())
                    : ReloadResult.unchanged();
        } catch (UsersMistake e) {
            return ReloadResult.failed(String.valueOf(e.getMessage()));
        }
    }
}
