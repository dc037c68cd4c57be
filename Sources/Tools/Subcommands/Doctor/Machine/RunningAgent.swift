import Posix

/// The agent that runs on this machine: the process with the lock on the state directory.
struct RunningAgent: Equatable {
    let process: Int32
    /// Its capabilities; `nil` if they can't be read.
    let privileges: Privileges?
    let account: Account?

    init(process: Int32, privileges: Privileges?, account: Account? = nil) {
        self.process = process
        self.privileges = privileges
        self.account = account
    }

    /// Reads the owner of the lock; `nil` if no process has it.
    init?(stateDirectory: String?) {
        guard let stateDirectory, let process = FolderLock.holder(of: stateDirectory) else {
            return nil
        }
        let owner = (try? FilePermissions(of: "/proc/\(process)"))?.owner
        self.init(
            process: process, privileges: Privileges(ofProcess: process),
            account: owner.flatMap { Account.of(user: $0) })
    }
}
