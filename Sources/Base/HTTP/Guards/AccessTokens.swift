import JSON
import Primitives

/// The bearer tokens that a server accepts (RFC 6750), as digests: their file does not give access.
package struct AccessTokens: Equatable, Sendable {
    package struct Token: Equatable, Sendable {
        package let name: String
        package let digest: SHA256Digest
        package let scope: Scope
    }

    package let tokens: [Token]

    package init(_ tokens: [Token] = []) { self.tokens = tokens }

    package static let maxFileBytes = 262_144

    /// Reads `{"tokens": [{"name": "wall", "sha256": "…", "scope": "read"}]}`; throws all faults.
    package init(parsing bytes: [UInt8]) throws(Faults) {
        var names: [SHA256Digest: String] = [:]
        self.init(
            try ObjectReader.decode(
                parsing: bytes, maxBytes: Self.maxFileBytes, allowingComments: true
            ) { reader in
                if !reader.has("tokens") { reader.note("tokens", .missing, "tokens is required") }
                return reader.objects("tokens", atMost: 1000) { reader in
                    let name = reader.string("name")
                    let scope = reader.choice("scope", of: Scope.self)
                    let digest = reader.parsed(
                        "sha256", expecting: "64 hexadecimal digits in lower case",
                        SHA256Digest.init(hexadecimal:))
                    guard let scope, let digest else { return nil }
                    if let other = names.updateValue(name, forKey: digest) {
                        reader.note(
                            "sha256", .outOfRange,
                            "\(name.quotedForPeople) has the same token as \(other.quotedForPeople); make a token for each reader"
                        )
                    }
                    return Token(name: name, digest: digest, scope: scope)
                }
            })
    }

    /// The token that a client presented. Each one is compared, so that the time tells nothing.
    func token(presented text: String) -> Token? {
        let digest = SHA256Digest(of: Array(text.utf8))
        var found: Token?
        for token in tokens where token.digest.equalsInConstantTime(digest) { found = token }
        return found
    }
}

/// The rights of clients with and without a token.
package struct AccessPolicy: Equatable, Sendable {
    /// The scope of a client without a token; `nil` leaves it the routes that need no scope.
    package var anonymous: Scope?
    package var tokens: AccessTokens

    package init(anonymous: Scope?, tokens: AccessTokens = AccessTokens()) {
        self.anonymous = anonymous
        self.tokens = tokens
    }

    /// What the client of a request may do, and its token's name.
    struct Principal: Equatable {
        var scope: Scope?
        var name: String?
    }

    enum Denial: Error, Equatable {
        /// No token where one is needed, or an unknown one.
        case unauthorized(isTokenUnknown: Bool)
        case forbidden(Principal)
    }

    /// Decides about a request for a route of `scope`.
    func authorize(_ headers: Headers, for scope: Scope?) throws(Denial) -> Principal {
        let principal: Principal
        if let text = Self.bearer(headers) {
            guard let token = tokens.token(presented: text) else {
                throw .unauthorized(isTokenUnknown: true)
            }
            principal = Principal(
                scope: max(token.scope, anonymous ?? token.scope), name: token.name)
        } else {
            principal = Principal(scope: anonymous)
        }
        guard let scope else { return principal }
        guard let granted = principal.scope else { throw .unauthorized(isTokenUnknown: false) }
        guard granted >= scope else {
            throw principal.name == nil
                ? .unauthorized(isTokenUnknown: false) : .forbidden(principal)
        }
        return principal
    }

    /// The token of `Authorization: Bearer …`; `nil` without one.
    private static func bearer(_ headers: Headers) -> String? {
        guard let field = headers["authorization"] else { return nil }
        let parts = field.split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return String(parts[1])
    }
}
