import CLinux
import Glibc

/// The terminal behind a descriptor (isatty(3), ioctl_tty(2), termios(3)).
package enum Terminal {
    package struct Size: Equatable, Sendable {
        package let columns: Int
        package let rows: Int

        package init(columns: Int, rows: Int) {
            self.columns = columns
            self.rows = rows
        }
    }

    /// Whether there is one.
    package static func isTerminal(_ descriptor: CInt) -> Bool { isatty(descriptor) == 1 }

    /// Its size; `nil` where there is none or it does not know.
    package static func size(of descriptor: CInt) -> Size? {
        var size = winsize()
        guard sightline_terminal_size(descriptor, &size) == 0, size.ws_col > 0, size.ws_row > 0
        else { return nil }
        return Size(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    /// Turns echo and line buffering off for the lifetime of this value.
    ///
    /// A program in the background leaves the terminal unchanged and continues.
    package struct Silence: ~Copyable {
        private let descriptor: CInt
        private let before: termios

        /// `nil` where there is no terminal, or it listens to another program.
        package init?(_ descriptor: CInt) {
            var settings = termios()
            guard tcgetattr(descriptor, &settings) == 0, tcgetpgrp(descriptor) == getpgrp() else {
                return nil
            }
            let before = settings
            settings.c_lflag &= ~tcflag_t(ECHO | ICANON)
            guard tcsetattr(descriptor, TCSANOW, &settings) == 0 else { return nil }
            self.descriptor = descriptor
            self.before = before
        }

        deinit {
            var settings = before
            if tcgetpgrp(descriptor) == getpgrp() {
                _ = tcsetattr(descriptor, TCSANOW, &settings)
            }
        }
    }
}

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
