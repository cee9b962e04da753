/** Tests of questions between nodes. */
package io.godwit.cluster.question;
