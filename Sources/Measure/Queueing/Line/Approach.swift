/// How the people of a site come to its lines. Each way has models of its own.
enum Approach: String, CaseIterable, Sendable {
    /// They walk to the line and join it.
    case direct
    /// They first browse near the line, for minutes. There a tag has the levels of a person in the middle of the line.
    case browsing

    /// The fits for one way. A class: each second of each tag would copy a structure of many numbers.
    final class Models: Sendable {
        let line: LineModel
        let visit: VisitModel
        let presence: PresenceModel

        private init(line: LineModel, visit: VisitModel, presence: PresenceModel) {
            (self.line, self.visit, self.presence) = (line, visit, presence)
        }

        fileprivate static let direct = Models(line: .direct, visit: .direct, presence: .direct)
        fileprivate static let browsing = Models(
            line: .browsing, visit: .browsing, presence: .browsing)
    }

    var models: Models { self == .direct ? .direct : .browsing }
}
