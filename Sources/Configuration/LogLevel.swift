/// How much is logged: its own level and those before it.
package enum LogLevel: String, CaseIterable, Sendable {
    case error
    case warning
    case info
    case debug
}
