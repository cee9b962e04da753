package io.godwit.server.extension;

import io.godwit.extension.intercept.PacketInterceptor;
import io.godwit.extension.intercept.PacketPoint;

/** An interceptor, and the point whose packets it sees. */
public record PointInterceptor(PacketPoint<?> point, PacketInterceptor<?> interceptor) {}
