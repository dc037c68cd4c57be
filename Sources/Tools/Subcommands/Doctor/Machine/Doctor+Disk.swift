import Configuration
import Diagnosis
import Posix

extension Doctor {
    /// Checks the state directory and the outbox's folder, without writing.
    func examineDisk(_ configuration: LocalConfiguration, _ state: String?) {
        let outbox = configuration.outbox.path ?? state.map { $0 + "/outbox.sqlite" }
        let outboxFolder = outbox.map(File.folder(of:))
        let held = outbox.flatMap { File.size($0) } ?? 0
        let wanted = max(0, configuration.outbox.maxBytes - held)
        guard let first = state ?? outboxFolder else { return report(.state(nil, of: .agent)) }
        for folder in [first] + [outboxFolder].compactMap(\.self).filter({ $0 != first }) {
            let standing = StateFolder(
                folder, of: account, wanted: folder == outboxFolder ? wanted : 0)
            let check = Check.state(standing, of: .agent)
            report(check)
            if folder == outboxFolder {
                report(
                    check.outcome == .wrong
                        ? Check("disk", .skipped, "\(folder): not writable")
                        : .disk(standing, of: .agent))
            }
        }
    }

    /// Checks the folder of the metrics file, without writing.
    func examineMetrics(_ path: String) {
        let folder = File.folder(of: path)
        report(.metrics(path, failure: account.failure(of: [.write, .enter], at: folder)))
    }
}

extension ExaminedProgram {
    static let agent = ExaminedProgram(
        name: "agent", group: "sightline", loss: "unsent batches are lost on exit",
        growth: "the outbox", remedy: "free some space, or lower outbox.maxBytes")
}
