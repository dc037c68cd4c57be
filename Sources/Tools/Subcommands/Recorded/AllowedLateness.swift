import CommandLine
import Primitives

/// The option `--allowed-lateness` of the commands that measure messages in files.
enum AllowedLateness {
    static let option = Option(
        "allowed-lateness", value: "SECONDS",
        help: "print results while reading; no message comes later than this after a newer one")

    /// `nil` without the option: the windows stay in memory until the input ends.
    static func time(_ invocation: Invocation, _ inputs: [String]) throws(UsageError) -> Duration? {
        guard let text = invocation["allowed-lateness"] else { return nil }
        guard let seconds = Int64(text), (1...86_400).contains(seconds) else {
            throw UsageError(
                "--allowed-lateness must be 1 to 86400 seconds, not “\(text.printable())”")
        }
        guard inputs.count == 1 else {
            throw UsageError("--allowed-lateness takes one --input, which is read as it grows")
        }
        return .seconds(seconds)
    }
}
