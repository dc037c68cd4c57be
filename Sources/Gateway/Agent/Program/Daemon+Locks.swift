import Posix

extension Daemon.Run {
    /// Refuses a capture that could end the connection of the running agent.
    ///
    /// A broker that takes the client identifier from the certificate or the user name sees one client in both.
    ///
    /// - Throws: another agent holds the lock. The error is already written.
    func checkForAgent() throws(Daemon.Exit) {
        let brokers = [configuration.broker].compactMap(\.self) + configuration.alternatives
        guard
            brokers.contains(where: { $0.username != nil || $0.tls?.certFile != nil }),
            let folder = stateDirectory, let process = FolderLock.holder(of: folder)
        else { return }
        throw Daemon.report(
            [
                "\(folder) is in use by process \(process): the broker may disconnect that agent for a capture with"
                    + " the same credentials; give the capture other ones, or use --output -"
            ], .failed)
    }

    /// Locks the state directories: two agents must not share an outbox or layers.
    ///
    /// A directory that can't be created or locked does not stop the agent. It then works in memory.
    ///
    /// - Throws: another agent holds the lock. The error is already written.
    func locks() throws(Daemon.Exit) -> [FolderLock] {
        var locks: [FolderLock] = []
        var logged: Set<String> = []
        let folders = [stateDirectory, outboxPath.map(File.folder(of:))].compactMap(\.self)
        for folder in folders where !locks.contains(where: { $0.covers(folder) }) {
            // If this fails, the lock fails too and reports the cause.
            if !File.exists(folder) { try? File.makeFolders(folder) }
            do throws(FolderLock.Failure) {
                locks.append(try FolderLock(folder))
                let file = outboxPath.flatMap { File.failure(ofWriting: $0) }
                if let reason = File.failure(ofWritingIn: folder) ?? file {
                    throw .unusable(reason)
                }
            } catch {
                switch error {
                case .taken(let process):
                    let holder = process.map { "process \($0)" } ?? "another process"
                    throw Daemon.report(
                        ["\(folder) is in use by \(holder): two agents can't share it"], .failed)
                case .unusable(let reason):
                    // Logged at the start: while the broker answers, the agent writes nothing to the disk.
                    guard logged.insert(folder).inserted else { continue }
                    log.warning(
                        "state directory not usable: unsent batches are lost on exit",
                        ["folder": folder, "reason": reason])
                }
            }
        }
        return locks
    }
}
