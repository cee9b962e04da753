@org.jspecify.annotations.NullMarked
package io.godwit.cluster.registration;
