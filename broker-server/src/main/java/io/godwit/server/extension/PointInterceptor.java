package io.godwit.server.extension;

import io.godwit.extension.OnFailure;
import io.godwit.extension.intercept.PacketInterceptor;
import io.godwit.extension.intercept.PacketPoint;

/** An interceptor, and the point whose packets it sees. */
public record PointInterceptor(PacketPoint<?> point, PacketInterceptor<?> interceptor) {
    /** Returns what happens without an answer: only an AUTH is refused. */
    public OnFailure onFailure() {
        boolean isAuth = point == PacketPoint.AUTH_IN || point == PacketPoint.AUTH_OUT;
        return isAuth ? OnFailure.REFUSE : OnFailure.PASS;
    }
}
