/** How the store works, and the rules that a simulation may switch off. */
@NullMarked
package io.godwit.persistence.settings;

import org.jspecify.annotations.NullMarked;
