import Glibc

/// Who reads what a program says on standard error.
package enum LogReader: Equatable, Sendable {
    /// A person at a terminal.
    case terminal
    /// systemd's journal, which takes a priority before each line (sd-daemon(3)) for its own.
    case journal
    /// A file, or another program.
    case other

    /// Finds out who reads `descriptor`; the journal is behind it where it is what `JOURNAL_STREAM` says (systemd.exec(5)).
    package init(of descriptor: CInt, environment: (String) -> String?) {
        guard isatty(descriptor) == 0 else {
            self = .terminal
            return
        }
        var status = stat()
        let isKnown = fstat(descriptor, &status) == 0
        let place = "\(status.st_dev):\(status.st_ino)"
        self = isKnown && environment("JOURNAL_STREAM") == place ? .journal : .other
    }

    /// The reader of this process's standard error.
    package static var ofStandardError: LogReader {
        LogReader(of: STDERR_FILENO) { getenv($0).map { String(cString: $0) } }
    }
}
