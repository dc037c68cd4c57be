import Configuration
import Posix

extension Doctor {
    /// Checks the state directory and the outbox's folder, without writing.
    func examineDisk(_ configuration: LocalConfiguration, _ state: String?) {
        let outbox = configuration.outbox.path ?? state.map { $0 + "/outbox.sqlite" }
        let outboxFolder = outbox.map(File.folder(of:))
        let held = outbox.flatMap { File.size($0) } ?? 0
        let wanted = max(0, configuration.outbox.maxBytes - held)
        guard let first = state ?? outboxFolder else { return report(.state(nil)) }
        for folder in [first] + [outboxFolder].compactMap(\.self).filter({ $0 != first }) {
            let standing = look(at: folder, wanted: folder == outboxFolder ? wanted : 0)
            let check = Check.state(standing)
            report(check)
            if folder == outboxFolder {
                report(
                    check.outcome == .wrong
                        ? Check("disk", .skipped, "\(folder): not writable")
                        : .disk(standing))
            }
        }
    }

    /// Checks the folder of the metrics file, without writing.
    func examineMetrics(_ path: String) {
        let folder = File.folder(of: path)
        report(.metrics(path, objection: account.objection(to: [.write, .enter], at: folder)))
    }

    private func look(at path: String, wanted: Int64) -> Check.StateFolder {
        var nearest = path
        while !File.exists(nearest), File.folder(of: nearest) != nearest {
            nearest = File.folder(of: nearest)
        }
        let isFolder = (try? FilePermissions(of: nearest))?.isFolder ?? true
        return Check.StateFolder(
            path: path, nearest: nearest,
            objection: account.objection(to: [.read, .write, .enter], at: nearest),
            isFolder: isFolder, space: try? DiskSpace(at: nearest), wanted: wanted)
    }
}
