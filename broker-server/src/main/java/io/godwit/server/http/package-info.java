/**
 * What HTTP requests say about where they come from, and what of it can be believed: {@link
 * io.godwit.server.http.OwnNames} begins it. A browser sends requests for any page that somebody
 * has open, so a port that believes all of them is open to the whole Web.
 */
@NullMarked
package io.godwit.server.http;

import org.jspecify.annotations.NullMarked;
