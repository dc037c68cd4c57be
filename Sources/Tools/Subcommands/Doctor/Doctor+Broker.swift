import Configuration
import Contract
import Diagnosis
import MQTT
import Session

extension Doctor {
    /// - Parameters:
    ///   - section: of the broker in the configuration.
    ///   - isUsable: whether all its files are readable.
    func examineBroker(
        _ broker: BrokerSettings, section: String, topics: Topics, isUsable: Bool
    ) {
        let examination = BrokerExamination(broker, section: section, report: report)
        let settings = examination.reach(isUsable: isUsable) { () throws(PasswordFile.Unusable) in
            try broker.connection(for: topics)
        }
        guard let settings else { return }
        guard agent == nil else { return examination.add(.loginBesideAgent) }
        let layers = Topics.Layer.allCases.map { topics.desired($0) }
        let status = topics.topic(.status)
        let written =
            Topics.Kind.allCases.filter { $0 != .trackers || home != nil }
            .map { topics.topic($0) } + [home?.topic].compactMap(\.self)
        _ = examination.rights(
            settings, reading: layers + [status, home?.topic].compactMap(\.self),
            required: layers, writing: written, status: status
        ) { observation in
            let present = observation.documents[status].flatMap { try? StatusMessage(decoding: $0) }
            return .session(present, hasRival: observation.hasRival, topics)
        }
    }
}
