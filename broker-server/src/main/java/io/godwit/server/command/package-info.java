/**
 * What {@code godwit} does beside a running broker: {@link io.godwit.server.command.MemoryCommand}
 * and {@link io.godwit.server.command.ClusterCommand} ask its admin port, {@link
 * io.godwit.server.command.DemoCommand} starts three brokers to try, and {@link
 * io.godwit.server.command.ClusterCertCommand} makes their certificates. Start with {@link
 * io.godwit.server.command.AnsweringCommand}.
 */
@NullMarked
package io.godwit.server.command;

import org.jspecify.annotations.NullMarked;
