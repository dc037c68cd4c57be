import Foundation

/// Damages keys of a closed database that contain `number`, of six bytes, in its indexes: their rows are not found any more.
///
/// A leaf page of an index has type 10; numbers are big-endian (sqlite.org/fileformat2.html, sections 1.6 and 2.1).
package func damageKeys(
    of number: Int64, in path: String, atMost limit: Int = .max
) throws {
    let page = 4096
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let pattern = withUnsafeBytes(of: number.bigEndian) { Array($0.suffix(6)) }
    var found = 0
    for start in stride(from: page, to: bytes.count, by: page) where bytes[start] == 10 {
        for place in start..<start + page - pattern.count
        where found < limit && bytes[place..<place + pattern.count].elementsEqual(pattern) {
            bytes[place + 2] ^= 0xff
            found += 1
        }
    }
    guard found > 0 else { throw TestFailure("no index of \(path) has \(number)") }
    try Data(bytes).write(to: URL(fileURLWithPath: path))
}
