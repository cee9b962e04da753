package io.godwit.conformance.v311;

import io.godwit.conformance.Conformance;

/** A test that speaks MQTT 3.1.1. */
abstract class Conformance311 extends Conformance {
    @Override
    protected boolean v5() {
        return false;
    }
}
