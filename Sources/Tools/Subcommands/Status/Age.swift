import Primitives

/// A time that has passed; 0 if the clocks differ.
struct Age {
    let duration: Duration

    init(_ duration: Duration) { self.duration = max(.zero, duration) }

    init(from start: UnixTime, to end: UnixTime) { self.init(end - start) }

    /// The largest unit, for a column: `12s`, `3m`, `5h`, `40d`.
    var brief: String {
        let seconds = duration.components.seconds
        if seconds < 60 { return "\(seconds)s" }
        if seconds < 3600 { return "\(seconds / 60)m" }
        if seconds < 86_400 { return "\(seconds / 3600)h" }
        return "\(seconds / 86_400)d"
    }
}
