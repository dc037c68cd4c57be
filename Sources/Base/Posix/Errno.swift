import Glibc

/// A system call's error number (errno(3)).
package struct Errno: Error, RawRepresentable, Hashable, Sendable {
    package let rawValue: CInt

    package init(rawValue: CInt) { self.rawValue = rawValue }

    /// The calling thread's `errno`: to be read on the very next statement.
    package static var current: Errno { Errno(rawValue: errno) }

    package static let permissionDenied = Errno(rawValue: EACCES)
    package static let notPermitted = Errno(rawValue: EPERM)
    package static let noSuchFile = Errno(rawValue: ENOENT)
    package static let fileExists = Errno(rawValue: EEXIST)
    package static let interrupted = Errno(rawValue: EINTR)
    package static let wouldBlock = Errno(rawValue: EAGAIN)
    package static let inProgress = Errno(rawValue: EINPROGRESS)
    package static let alreadyInProgress = Errno(rawValue: EALREADY)
    package static let noSuchDevice = Errno(rawValue: ENODEV)
    package static let networkDown = Errno(rawValue: ENETDOWN)
    package static let busy = Errno(rawValue: EBUSY)
    package static let tooManyUsers = Errno(rawValue: EUSERS)
    package static let addressFamilyNotSupported = Errno(rawValue: EAFNOSUPPORT)
    package static let connectionReset = Errno(rawValue: ECONNRESET)
    package static let connectionAborted = Errno(rawValue: ECONNABORTED)
    package static let connectionRefused = Errno(rawValue: ECONNREFUSED)
    package static let brokenPipe = Errno(rawValue: EPIPE)
    package static let badDescriptor = Errno(rawValue: EBADF)
    package static let invalidArgument = Errno(rawValue: EINVAL)
    package static let noSuchDeviceOrAddress = Errno(rawValue: ENXIO)
    package static let timedOut = Errno(rawValue: ETIMEDOUT)
    package static let readOnlyFileSystem = Errno(rawValue: EROFS)
    package static let noSpace = Errno(rawValue: ENOSPC)
    package static let quotaExceeded = Errno(rawValue: EDQUOT)
    package static let fileTooLarge = Errno(rawValue: EFBIG)
    package static let inputOutput = Errno(rawValue: EIO)
    package static let blockedByRFKill = Errno(rawValue: ERFKILL)
}

extension Errno: CustomStringConvertible {
    /// The system's own words, as of `strerror(3)`.
    package var description: String {
        var buffer = [CChar](repeating: 0, count: 128)
        strerror_r(rawValue, &buffer, buffer.count)
        let text = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: text, as: UTF8.self)
    }
}

/// The result of a system call that says −1 for failure; retried when a signal interrupted it.
package func retryingInterrupts<Number: SignedInteger>(
    _ call: () -> Number
) throws(Errno) -> Number {
    while true {
        let result = call()
        if result != -1 { return result }
        let error = Errno.current
        if error != .interrupted { throw error }
    }
}
