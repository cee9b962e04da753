/** The production store in the simulator. Start with {@code StoreSimulationTest}. */
@NullMarked
package io.godwit.persistence.simulation;

import org.jspecify.annotations.NullMarked;
