import Glibc

/// Standard input, standard output and standard error.
package enum StandardDescriptors {
    /// Opens those that the caller has closed, so that no file or socket gets their numbers.
    ///
    /// Each one is opened for the other direction: its use still fails with `Errno.badDescriptor`.
    package static func fill() {
        for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) == -1 {
            // The lowest free number is this one (open(2)).
            _ = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
