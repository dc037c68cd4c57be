import CLinux
import Glibc

/// A process that runs this program's own file again (posix_spawn(3)).
package struct Subprocess: Sendable {
    /// How a process ended.
    package enum End: Equatable, Sendable, CustomStringConvertible {
        case status(Int32)
        case signal(Int32)

        fileprivate init(_ status: CInt) {
            let signal = status & 0x7f
            self = signal == 0 ? .status(status >> 8 & 0xff) : .signal(signal)
        }

        /// Whether the process broke down, as over a failed assertion or a wrong address (signal(7)).
        package var isCrash: Bool {
            guard case .signal(let signal) = self else { return false }
            return [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP].contains(signal)
        }

        package var description: String {
            switch self {
            case .status(let status): "exit status \(status)"
            case .signal(let signal): "signal \(signal) (\(String(cString: strsignal(signal))))"
            }
        }
    }

    /// Where the process writes what it prints.
    package enum Output: Sendable {
        /// To this program's standard output and error.
        case inherited
        /// Nowhere. Standard input is empty as well.
        case none
    }

    package let id: pid_t

    /// The number of the one descriptor that the process inherits, besides standard input, output and error.
    package static let descriptor: CInt = 3

    /// Starts this program's file with other arguments. Blocked signals stay blocked.
    ///
    /// - Parameter descriptor: the process has it as number 3.
    package init(
        _ name: String, _ arguments: [String], passing descriptor: borrowing Descriptor,
        output: Output = .inherited
    ) throws(Errno) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, descriptor.rawValue, Self.descriptor)
        if output == .none {
            for number in STDIN_FILENO...STDERR_FILENO {
                posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
            }
        }
        // All other descriptors stay here, whatever flags they have.
        sightline_close_from(&actions, Self.descriptor + 1)
        var words: [UnsafeMutablePointer<CChar>?] = ([name] + arguments).map { strdup($0) }
        defer { for word in words { free(word) } }
        words.append(nil)
        var id = pid_t()
        // Also a file that an upgrade has replaced.
        let result = posix_spawn(&id, "/proc/self/exe", &actions, nil, words, environ)
        guard result == 0 else { throw Errno(rawValue: result) }
        self.id = id
    }

    package func kill() { Glibc.kill(id, SIGKILL) }

    /// How the process ended; `nil` while it runs (waitpid(2)). After an answer, the number is free for others.
    package func end() -> End? {
        var status: CInt = 0
        return waitpid(id, &status, WNOHANG) == id ? End(status) : nil
    }

    /// Kills the process, and waits for its end. One that was ending already keeps its own end; `nil` if the kernel does not
    /// report it.
    package func killAndWait() -> End? {
        kill()
        var status: CInt = 0
        while true {
            if waitpid(id, &status, 0) == id { return End(status) }
            guard Errno.current == .interrupted else { return nil }
        }
    }

    /// In the new process: ends it with its parent, and ignores the signals that its parent receives and passes on as messages.
    package static func followParent() {
        for number in [SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE] { signal(number, SIG_IGN) }
        sightline_set_parent_death_signal(SIGKILL)
    }
}

extension Subprocess {
    /// In a process that needs no more than its open descriptors: it can start no other, write no file, and leave no image of
    /// its memory; other processes of its user can't read its memory (setrlimit(2), PR_SET_DUMPABLE).
    ///
    /// - Throws: it has capabilities, or can get some. Where a filter of system calls forbids the limits, those of the service
    ///   manager remain.
    package static func confine() throws(Errno) {
        try Privileges.drop()
        _ = try retryingInterrupts { sightline_forbid_dumps() }
        sightline_forbid_files_and_processes()
    }
}

extension Privileges {
    /// Gives up all capabilities, also for the programs that this process starts (capabilities(7)).
    ///
    /// - Throws: some remain.
    package static func drop() throws(Errno) {
        _ = try retryingInterrupts { sightline_clear_ambient_capabilities() }
        _ = try retryingInterrupts { sightline_forbid_new_privileges() }
        _ = try retryingInterrupts { sightline_clear_capabilities() }
    }
}
