/**
 * The admin port: metrics, health, and who is connected. It has a thread of its own and asks the
 * shards by mail. Start with {@code AdminServer} and {@code AdminRoutes}.
 */
@NullMarked
package io.godwit.server.admin;

import org.jspecify.annotations.NullMarked;
