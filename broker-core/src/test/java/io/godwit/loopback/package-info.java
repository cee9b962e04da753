/** Addresses of this machine for tests of any module that talk over sockets. */
@NullMarked
package io.godwit.loopback;

import org.jspecify.annotations.NullMarked;
