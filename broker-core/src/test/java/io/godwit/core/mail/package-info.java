@NullMarked
package io.godwit.core.mail;

import org.jspecify.annotations.NullMarked;
