/// The path of a route: `/api/v1/sites/{site}/queues`.
package struct PathTemplate: Hashable, Sendable, CustomStringConvertible {
    package enum Segment: Hashable, Sendable {
        case literal(String)
        /// Any segment that is not empty.
        case parameter(String)
        /// All further segments, joined with slashes; last in a template: `{path...}`.
        case rest(String)
    }

    package let description: String
    package let segments: [Segment]

    package init(_ text: String) {
        description = text
        segments = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map {
            guard $0.hasPrefix("{"), $0.hasSuffix("}") else { return .literal(String($0)) }
            let name = $0.dropFirst().dropLast()
            return name.hasSuffix("...")
                ? .rest(String(name.dropLast(3))) : .parameter(String(name))
        }
    }

    /// The names of its parameters, in order.
    package var parameters: [String] {
        segments.compactMap {
            switch $0 {
            case .literal: nil
            case .parameter(let name), .rest(let name): name
            }
        }
    }

    /// The parameters' values; `nil` when the path does not match.
    package func match(_ path: [String]) -> [String: String]? {
        var values: [String: String] = [:]
        var rest = path[...]
        for segment in segments {
            if case .rest(let name) = segment {
                values[name] = rest.joined(separator: "/")
                return values
            }
            guard let text = rest.popFirst() else { return nil }
            switch segment {
            case .literal(let literal): guard text == literal else { return nil }
            case .parameter(let name):
                guard !text.isEmpty else { return nil }
                values[name] = text
            case .rest: break
            }
        }
        return rest.isEmpty ? values : nil
    }
}
