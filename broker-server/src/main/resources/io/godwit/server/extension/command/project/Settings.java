package @package@;

import io.godwit.extension.Setting;
import org.jspecify.annotations.Nullable;

/** The settings of this extension. */
record Settings(
        @Setting(description = "The user that is let in by the password", value = "demo")
                String user,
        @Setting(description = "The user's password", value = Setting.NONE, secret = true)
                @Nullable String password,
        @Setting(description = "The user property that names who sent a message", value = "sender")
                String property) {}
