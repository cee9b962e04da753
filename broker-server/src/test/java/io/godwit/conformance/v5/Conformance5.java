package io.godwit.conformance.v5;

import io.godwit.conformance.Conformance;

/** A test that speaks MQTT 5.0. */
abstract class Conformance5 extends Conformance {
    @Override
    protected boolean v5() {
        return true;
    }
}
