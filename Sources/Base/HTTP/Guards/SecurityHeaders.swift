/// The header fields of every response that tell browsers what its page may do.
struct SecurityHeaders {
    let fields: Headers

    /// - Parameter policy: a whole content security policy, for pages that need another one.
    init(contentSecurityPolicy policy: String?) {
        fields = [
            "content-security-policy": policy ?? Self.contentSecurityPolicy,
            "x-content-type-options": "nosniff",
            "referrer-policy": "no-referrer",
            "cross-origin-opener-policy": "same-origin",
            "cross-origin-resource-policy": "same-origin",
            "x-frame-options": "DENY",
            "permissions-policy": "camera=(), geolocation=(), microphone=()",
            // Other values change at any time; files state their own rule.
            "cache-control": "no-store",
        ]
    }

    /// Resources come from this server only; inline code and frames are forbidden.
    static let contentSecurityPolicy =
        "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
        + "object-src 'none'"
}
