/** Of the package of the same name. */
package io.godwit.cluster.node;
