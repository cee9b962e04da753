package io.godwit.core.session;

import java.util.ArrayList;
import java.util.List;

/** What tests ask of the session room. */
public final class SessionRoomProbe {
    private SessionRoomProbe() {}

    public static List<Session> all(SessionList sessions) {
        List<Session> all = new ArrayList<>();
        for (Session s = sessions.first(); s != null; s = s.next) {
            all.add(s);
        }
        return all;
    }

    public static int subscriptions(Session session) {
        return session.subscriptionCount();
    }

    public static boolean remembersPublishes(Session session) {
        return session.remembersPublishes();
    }
}
