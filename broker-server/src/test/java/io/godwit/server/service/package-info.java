/** Tests of what extensions are told of sessions. */
package io.godwit.server.service;
