import CLinux
import Glibc

/// Whether a file can be written, found out without a trace.
extension File {
    /// Why a file of `bytes` can't be made in a folder; `nil` if it can.
    ///
    /// The attempt leaves no trace: its file has no name, and its room is reserved, not written (`O_TMPFILE` in open(2),
    /// fallocate(2)). File systems without such files only tell the access rights.
    package static func failure(ofWritingIn folder: String, bytes: Int = 65_536) -> Errno? {
        guard access(folder, W_OK | X_OK) == 0 else { return Errno.current }
        do throws(Errno) {
            let file = try Descriptor(from: { sightline_open_unnamed(folder) })
            let number = file.rawValue
            _ = try retryingInterrupts { fallocate(number, 0, 0, off_t(bytes)) }
            return nil
        } catch {
            return [.noSpace, .quotaExceeded, .fileTooLarge, .readOnlyFileSystem, .inputOutput]
                .contains(error) ? error : nil
        }
    }

    /// Why a file can't be written; `nil` if it can, or is missing (access(2)).
    package static func failure(ofWriting path: String) -> Errno? {
        guard access(path, W_OK) != 0 else { return nil }
        let error = Errno.current
        return error == .noSuchFile ? nil : error
    }
}
