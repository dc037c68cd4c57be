/// A time that has passed; 0 if the clocks differ.
struct Age {
    let duration: Duration

    init(_ duration: Duration) { self.duration = max(.zero, duration) }

    /// - Parameters:
    ///   - start: milliseconds since the epoch.
    ///   - end: the same.
    init(from start: Int64, to end: Int64) {
        let (difference, overflow) = end.subtractingReportingOverflow(start)
        self.init(overflow ? .zero : .milliseconds(difference))
    }

    /// The largest unit, for a column: `12s`, `3m`, `5h`, `40d`.
    var brief: String {
        let seconds = duration.components.seconds
        if seconds < 60 { return "\(seconds)s" }
        if seconds < 3600 { return "\(seconds / 60)m" }
        if seconds < 86_400 { return "\(seconds / 3600)h" }
        return "\(seconds / 86_400)d"
    }
}
