import Glibc

/// A file's bytes, mapped for reading (mmap(2)).
package struct MappedFile: ~Copyable {
    private let region: UnsafeRawBufferPointer

    package init(path: String) throws(Errno) {
        let file = try Descriptor.open(regularFile: path)
        let size = try file.size()
        guard size > 0 else {
            region = UnsafeRawBufferPointer(start: nil, count: 0)
            return
        }
        let address = mmap(nil, size, PROT_READ, MAP_PRIVATE, file.rawValue, 0)
        if address == MAP_FAILED { throw Errno.current }
        region = UnsafeRawBufferPointer(start: address, count: size)
    }

    deinit {
        if let start = region.baseAddress {
            munmap(UnsafeMutableRawPointer(mutating: start), region.count)
        }
    }

    /// Lends the file's bytes to `body`.
    package borrowing func withBytes<Result, Failure: Error>(
        _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(region.bindMemory(to: UInt8.self))
    }
}
