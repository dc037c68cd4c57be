/// A reason for which a client does not get what it requested.
package enum Refusal: String, CaseIterable, Sendable {
    /// Too many connections, in all or of its address.
    case clients
    /// Too many streams: this one was brief.
    case streams
    /// Too many requests a second.
    case rate
    /// A host name that is not this server's.
    case host
    /// A change from another site's page.
    case origin
    /// No token or an unknown one.
    case unauthorized
    /// A token without the route's scope.
    case forbidden
    /// A target, a method or headers that break the standard.
    case malformed
    /// Headers or a body beyond the limit.
    case size
    /// A request or response that took too long.
    case timeout
    /// A stream's client that did not keep up.
    case slow
}
