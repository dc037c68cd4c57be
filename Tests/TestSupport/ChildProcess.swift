import Foundation

/// Another program, with the lines of its standard output and standard error.
package final class ChildProcess: @unchecked Sendable {
    private let process = Process()
    // Guards the variables below; signalled after each change.
    private let condition = NSCondition()
    private var allLines: [String] = []
    private var hasClosed = false
    private var exitStatus: Int32?

    /// Starts the program `name` (`Tool.find`, or a path).
    package init(_ name: String, _ arguments: [String], environment: [String: String]? = nil) throws
    {
        guard let path = name.contains("/") ? name : Tool.find(name) else {
            throw TestFailure("\(name) is not installed")
        }
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        if let environment {
            process.environment = environment.merging(Self.sanitizerOptions) { own, _ in own }
        }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = pipe
        process.terminationHandler = { [weak self] in self?.noteExit($0.terminationStatus) }
        try Self.withoutBlockedSignals { try process.run() }
        let output = pipe.fileHandleForReading
        Thread.detachNewThread { [weak self] in
            var rest = Data()
            while true {
                let chunk = output.availableData
                guard !chunk.isEmpty else { break }
                rest.append(chunk)
                while let end = rest.firstIndex(of: 10) {
                    let line = String(decoding: rest[rest.startIndex..<end], as: UTF8.self)
                    rest = Data(rest[(end + 1)...])
                    self?.note(line)
                }
            }
            if !rest.isEmpty { self?.note(String(decoding: rest, as: UTF8.self)) }
            self?.noteClosed()
        }
    }

    /// The sanitizers' options of this process: a child with an environment of its own needs them too.
    private static var sanitizerOptions: [String: String] {
        ProcessInfo.processInfo.environment.filter { $0.key.hasSuffix("SAN_OPTIONS") }
    }

    /// Tests run on threads that block signals, and a child would inherit that: SIGTERM could not
    /// stop mosquitto.
    private static func withoutBlockedSignals(_ body: () throws -> Void) rethrows {
        var none = sigset_t()
        var before = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try body()
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    package var processID: Int32 { process.processIdentifier }

    /// All lines so far, as a copy of its own: the thread sanitizer does not see the reference count that orders a read of a
    /// shared array before the next append.
    package var lines: [String] { condition.withLock { allLines.map { $0 } } }

    /// Waits for an earlier or new line, from index `start` on.
    ///
    /// - Returns: the line; `nil` after the time limit.
    package func waitForLine(
        within seconds: Double = Deadline.limit, from start: Int = 0,
        where matches: (String) -> Bool
    ) -> String? {
        var looked = start
        var found: String?
        wait(seconds) {
            while looked < allLines.count, found == nil {
                if matches(allLines[looked]) { found = allLines[looked] }
                looked += 1
            }
            return found != nil || hasClosed
        }
        return found
    }

    /// Waits until the lines so far satisfy `condition`.
    package func waitForLines(
        within seconds: Double = Deadline.limit, until satisfied: ([String]) -> Bool
    ) -> Bool {
        wait(seconds) { satisfied(allLines) }
    }

    /// Waits for the exit status and the last line; `nil` when the program still runs.
    @discardableResult
    package func waitForExit(within seconds: Double = Deadline.limit) -> Int32? {
        wait(seconds) { exitStatus != nil && hasClosed }
        return condition.withLock { exitStatus }
    }

    /// Sends a signal to its process ID.
    package func send(_ signal: Int32) {
        if process.isRunning { kill(process.processIdentifier, signal) }
    }

    @discardableResult
    private func wait(_ seconds: Double, until satisfied: () -> Bool) -> Bool {
        let deadline = Date(timeIntervalSinceNow: seconds)
        condition.lock()
        defer { condition.unlock() }
        while !satisfied() {
            if !condition.wait(until: deadline) { return satisfied() }
        }
        return true
    }

    private func note(_ line: String) {
        condition.withLock {
            allLines.append(line)
            condition.broadcast()
        }
    }

    private func noteClosed() {
        condition.withLock {
            hasClosed = true
            condition.broadcast()
        }
    }

    private func noteExit(_ status: Int32) {
        condition.withLock {
            exitStatus = status
            condition.broadcast()
        }
    }
}
