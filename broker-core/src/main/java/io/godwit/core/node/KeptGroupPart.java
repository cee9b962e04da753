package io.godwit.core.node;

import io.godwit.core.store.KeptIngress;
import io.godwit.core.store.QueueDepth;
import io.godwit.core.store.Recovery.KeptInFlight;
import java.util.List;

/** A part of a shared group as an earlier start has left it. */
record KeptGroupPart(
        int number, QueueDepth depth, List<KeptInFlight> inFlight, List<KeptIngress> remembered) {}
