import JSON
import Results

/// Metrics in the text format 0.0.4 of Prometheus, which node_exporter's textfile collector reads.
///
///     # HELP sightline_radio_reports_total Advertising reports that the controller delivered.
///     # TYPE sightline_radio_reports_total counter
///     sightline_radio_reports_total{site="store-042",gateway="entry-1"} 412
///
/// Names, base units and suffixes follow Prometheus' "Metric and label naming".
package struct Exposition {
    /// The prefix of all names.
    static let prefix = "sightline_"

    package private(set) var text = ""
    private let labels: [Label]

    package typealias Label = (name: String, value: String)

    /// - Parameter labels: the labels of every sample.
    package init(labels: [Label] = []) { self.labels = labels }

    /// Several samples of one metric, with their own labels; nothing without samples.
    package mutating func gauges(
        _ name: String, _ help: String, _ samples: [(labels: [Label], value: Double?)]
    ) {
        put(
            name, "gauge", help,
            samples.compactMap { sample in
                sample.value.map { (sample.labels, Self.number($0)) }
            })
    }

    /// The same for values that only grow.
    package mutating func counters(
        _ name: String, _ help: String, _ samples: [(labels: [Label], value: Int)]
    ) {
        put(name + "_total", "counter", help, samples.map { ($0.labels, "\($0.value)") })
    }

    /// A value that only grows until the agent exits; `_total` is appended to the name.
    mutating func counter(_ name: String, _ help: String, _ value: some BinaryInteger) {
        put(name + "_total", "counter", help, "\(value)")
    }

    /// The same in fractions, such as seconds.
    mutating func counter(_ name: String, _ help: String, _ value: Double) {
        put(name + "_total", "counter", help, Self.number(value))
    }

    /// A value that rises and falls; a `nil` writes nothing.
    package mutating func gauge(
        _ name: String, _ help: String, _ value: (some BinaryInteger)?
    ) {
        if let value { put(name, "gauge", help, "\(value)") }
    }

    /// A condition: 1 for true, 0 for false.
    package mutating func gauge(_ name: String, _ help: String, _ value: Bool) {
        put(name, "gauge", help, value ? "1" : "0")
    }

    /// A time or a duration, given in milliseconds, in seconds; left out without a value.
    mutating func seconds(_ name: String, _ help: String, milliseconds: Int64?) {
        guard let milliseconds else { return }
        put(name + "_seconds", "gauge", help, Self.number(Double(milliseconds) / 1000))
    }

    /// Words, as labels of a 1; `_info` is appended to the name.
    package mutating func info(_ name: String, _ help: String, _ words: [Label]) {
        put(name + "_info", "gauge", help, "1", words)
    }

    private mutating func put(
        _ name: String, _ type: String, _ help: String, _ value: String, _ more: [Label] = []
    ) {
        put(name, type, help, [(more, value)])
    }

    private mutating func put(
        _ name: String, _ type: String, _ help: String,
        _ samples: [(labels: [Label], value: String)]
    ) {
        guard !samples.isEmpty else { return }
        let name = Self.prefix + name
        text += "# HELP \(name) \(Self.escaped(help, quote: false))\n# TYPE \(name) \(type)\n"
        for sample in samples {
            let pairs = (labels + sample.labels).map {
                "\($0.name)=\"\(Self.escaped($0.value, quote: true))\""
            }
            text += name + (pairs.isEmpty ? "" : "{\(pairs.joined(separator: ","))}")
            text += " \(sample.value)\n"
        }
    }

    /// A help text, or a label's value, where quotes are escaped as well.
    private static func escaped(_ text: String, quote: Bool) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quote: escaped += "\\\""
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        guard value.isInfinite else { return "\(value)" }
        return value < 0 ? "-Inf" : "+Inf"
    }
}

extension Exposition {
    /// The metrics of a kind, from its documents of the present. A value that is not known is left out: absent is not 0.
    package mutating func write(_ kind: ResultKind, _ documents: [JSON]) {
        let samples = documents.map { document in
            (
                labels: ["site", kind.name].map { name -> Label in
                    if case .string(let value)? = document[name] { return (name, value) }
                    return (name, "")
                }, document: document
            )
        }
        for (field, metric) in kind.metrics {
            gauges(
                "\(kind.name)_\(metric.name)\(field.part.unit.suffix)", metric.help,
                samples.map { ($0.labels, field.number(metric, of: $0.document)) })
        }
    }
}

extension ResultField {
    /// The value in the base unit of Prometheus; `nil` where it is not known.
    fileprivate func number(_ metric: ResultPart.Metric, of document: JSON) -> Double? {
        let value = value(in: document)
        if let word = metric.word { return value == .string(word) ? 1 : 0 }
        return switch value {
        case .integer(let number): Double(number) / part.unit.divisor
        case .number(let number): number / part.unit.divisor
        case .bool(let flag): flag ? 1 : 0
        default: nil
        }
    }
}

extension ResultUnit {
    /// The name of the base unit in a metric's name.
    fileprivate var suffix: String {
        switch self {
        case .none: ""
        case .milliseconds: "_seconds"
        case .time: "_timestamp_seconds"
        case .percent: "_ratio"
        }
    }

    fileprivate var divisor: Double {
        switch self {
        case .none: 1
        case .milliseconds, .time: 1000
        case .percent: 100
        }
    }
}
