/// How the program ended, for whoever called it (the contract, design section 5).
package enum ExitCode: Int32, Sendable {
    case done = 0
    case failed = 1
    /// What was asked for makes no sense.
    case wrongUse = 2
}
