import Posix

/// The agent that runs on this machine: who has the lock on its state directory.
struct RunningAgent: Equatable {
    let process: Int32
    /// What the kernel lets it do; `nil` when that can't be read.
    let privileges: Privileges?
    let account: Account?

    init(process: Int32, privileges: Privileges?, account: Account? = nil) {
        self.process = process
        self.privileges = privileges
        self.account = account
    }

    /// Looks for it without touching the lock; `nil` when there is none.
    init?(stateDirectory: String?) {
        guard let stateDirectory, let process = FolderLock.holder(of: stateDirectory) else {
            return nil
        }
        let owner = (try? FileStanding(of: "/proc/\(process)"))?.owner
        self.init(
            process: process, privileges: Privileges(ofProcess: process),
            account: owner.flatMap { Account.of(user: $0) })
    }
}
