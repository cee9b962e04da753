package io.godwit.core.session;

import io.godwit.core.routing.SharedGroupRef;

/**
 * Names an entry of a shared group's queue while a member has it.
 *
 * @param entry the group's number of it
 */
record GroupTicket(SharedGroupRef group, long entry) {}
