package io.godwit.server.security.users;

import io.godwit.server.reload.ReloadResult;
import io.godwit.server.reload.Reloadable;

/** Reads the file of users again. */
public final class UsersReload implements Reloadable {
    private final Users users;

    public UsersReload(Users users) {
        this.users = users;
    }

    @Override
    public String name() {
        return "users";
    }

    @Override
    public ReloadResult reload() {
        try {
            Users.Reloaded reloaded = users.reload();
            return reloaded.isChanged()
                    ? ReloadResult.changed(reloaded.summary())
                    : ReloadResult.unchanged();
        } catch (UsersMistake e) {
            return ReloadResult.failed(String.valueOf(e.getMessage()));
        }
    }
}
