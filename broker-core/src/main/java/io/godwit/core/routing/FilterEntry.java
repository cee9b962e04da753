package io.godwit.core.routing;

/**
 * The entry of a filter: its only {@link Subscription} as it is, or a {@link FilterNode} that holds
 * several, or shared-subscription groups.
 */
sealed interface FilterEntry permits Subscription, FilterNode {}
