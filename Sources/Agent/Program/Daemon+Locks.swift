import Posix

extension Daemon.Run {
    /// Takes what outlasts the agent for itself: two agents must not share an outbox or layers.
    ///
    /// What can't be made or locked does not stop the agent, which then goes on from memory.
    ///
    /// - Throws: another agent has it, after having said so.
    func locks() throws(Daemon.Exit) -> [FolderLock] {
        guard !isForStandardOutput else { return [] }
        var locks: [FolderLock] = []
        var told: Set<String> = []
        let folders = [stateDirectory, outboxPath.map(File.folder(of:))].compactMap(\.self)
        for folder in folders where !locks.contains(where: { $0.covers(folder) }) {
            // What can't be made can't be opened either, which tells.
            if !File.exists(folder) { try? File.makeFolders(folder) }
            do throws(FolderLock.Failure) {
                locks.append(try FolderLock(folder))
                if let reason = File.objection(toWritingIn: folder) { throw .unusable(reason) }
            } catch {
                switch error {
                case .taken(let process):
                    let holder = process.map { "process \($0)" } ?? "another process"
                    throw Daemon.complain(
                        ["\(folder) is in use by \(holder): two agents can't share it"], .failed)
                case .unusable(let reason):
                    // Nothing is written as long as the broker answers: nobody would know before the outage.
                    guard told.insert(folder).inserted else { continue }
                    log.warning(
                        "what waits for the broker can't be stored, and won't outlast the agent",
                        ["folder": folder, "reason": reason])
                }
            }
        }
        return locks
    }
}
