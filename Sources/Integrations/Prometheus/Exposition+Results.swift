import JSON
import Results

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
