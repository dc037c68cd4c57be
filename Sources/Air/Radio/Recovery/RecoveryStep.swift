/// A measure against a silent or failed radio, the mildest first.
package enum RecoveryStep: Int, CaseIterable, Comparable, Sendable {
    /// Switches the scan off and on. A shared radio that is closed is opened again, with the same effect.
    case rescan
    /// Brings a shared adapter down and up.
    case powerCycle
    /// Opens an exclusive controller again, which resets it.
    case reset

    package static func < (left: RecoveryStep, right: RecoveryStep) -> Bool {
        left.rawValue < right.rawValue
    }
}
