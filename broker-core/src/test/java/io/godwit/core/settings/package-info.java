@NullMarked
package io.godwit.core.settings;

import org.jspecify.annotations.NullMarked;
