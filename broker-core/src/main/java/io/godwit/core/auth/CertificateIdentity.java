package io.godwit.core.auth;

/**
 * Says what the name in a client's certificate stands for at a listener ({@code tls.identity}).
 *
 * @param isUserName whether it takes the place of the CONNECT's user name
 * @param isClientId whether the client id must be the same
 * @param andPassword whether the authenticators are asked all the same
 */
public record CertificateIdentity(boolean isUserName, boolean isClientId, boolean andPassword) {}
