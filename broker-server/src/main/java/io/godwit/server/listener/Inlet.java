package io.godwit.server.listener;

import io.godwit.core.metrics.Counters;
import io.godwit.core.session.Wire;

interface Inlet {
    Inbound open(Wire wire);

    Counters counters();
}
