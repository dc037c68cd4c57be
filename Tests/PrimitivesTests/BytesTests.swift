import Testing

@testable import Beacons

@Suite struct BytesTests {
    @Test("integers are read at any offset in either byte order")
    func numbers() {
        let bytes: [UInt8] = [0xff, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x88]
        bytes.withBytes { bytes in
            #expect(bytes.littleEndian16(at: 1) == 0x0201)
            #expect(bytes.bigEndian16(at: 1) == 0x0102)
            #expect(bytes.littleEndian32(at: 1) == 0x0403_0201)
            #expect(bytes.bigEndian32(at: 5) == 0x0506_0788)
            #expect(bytes.littleEndian64(at: 1) == 0x8807_0605_0403_0201)
            #expect(bytes.bigEndian64(at: 1) == 0x0102_0304_0506_0788)
        }
    }

    @Test("a copy outlives the borrowed bytes")
    func copies() {
        let bytes: [UInt8] = [1, 2, 3, 4]
        #expect(bytes.withBytes { $0.extracting(1..<3).copied() } == [2, 3])
        #expect([UInt8]().withBytes { $0.copied() } == [])
    }

    @Test("the same address with another type is another address")
    func addresses() {
        let address: UInt64 = 0xc122_3344_5566
        #expect(
            DeviceAddress(address: address, type: 0) != DeviceAddress(address: address, type: 1))
        #expect(DeviceAddress(address: .max, type: 0).rawValue == 0xffff_ffff_ffff)
    }
}
