import Contract
import Primitives

/// Reminds once a day of a certificate that has ended or ends soon.
package struct CertificateReminder {
    private static let interval = Duration.seconds(86_400)
    /// When the next reminder is due; `nil` before the first.
    private var next: Instant?

    package init() {}

    /// - Returns: whether to remind now.
    package mutating func isDue(
        _ certificate: Health.ExpiringCertificate?, at now: Instant
    ) -> Bool {
        guard certificate != nil else {
            next = nil
            return false
        }
        guard next.map({ $0 <= now }) ?? true else { return false }
        next = now + Self.interval
        return true
    }
}
