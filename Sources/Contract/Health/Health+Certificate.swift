import Primitives

extension Health {
    /// The agent's certificate for its broker, if it has ended or ends soon.
    package struct ExpiringCertificate: Equatable, Sendable {
        /// How long it is still valid; negative once it has ended.
        package let left: Duration

        /// `certificate ends in 10 days`.
        package var reason: String {
            if left < .zero { return "certificate has ended" }
            let days = left.wholeSeconds / 86_400
            return "certificate ends " + (days > 0 ? "in \(count(days, "day"))" : "within a day")
        }
    }

    /// A certificate with less time needs attention. `sightline-provision --renew` renews it in its last 30 days.
    package static let certificateNotice = Duration.seconds(14 * 86_400)

    /// The certificate, if it has ended or ends soon by the gateway's clock.
    package var expiringCertificate: ExpiringCertificate? {
        guard let certificateExpiresAt else { return nil }
        let left = certificateExpiresAt - at
        return left < Self.certificateNotice ? ExpiringCertificate(left: left) : nil
    }
}
