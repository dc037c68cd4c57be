import Beacons
import Primitives

extension HCICommand {
    private enum Advertising {
        static let nonConnectable: UInt8 = 0x03
        /// Legacy PDU, neither connectable nor scannable.
        static let legacyNonConnectable: UInt16 = 0x0010
        static let allChannels: UInt8 = 0x07
        static let noPeer = [UInt8](repeating: 0, count: 7)
        static let acceptAll: UInt8 = 0x00
        /// The gateway's first advertising set: the last handle (7.8.53). Its further sets stand before it; the kernel counts
        /// its own from 0.
        static let lastHandle: UInt8 = 0xef
        static func handle(of set: Int) -> UInt8 { lastHandle - UInt8(truncatingIfNeeded: set & 3) }
        static let handles = handle(of: 3)...lastHandle
        static let noPreference: Int8 = 127
        static let le1MPhy: UInt8 = 0x01
        static let complete: UInt8 = 0x03
        static let doNotFragment: UInt8 = 0x01
        static let legacyDataCapacity = 31
    }

    /// Non-connectable undirected advertising on all three channels (7.8.5, 7.8.53).
    ///
    /// - Parameters:
    ///   - set: the gateway's advertising set, from 0 to 3. Legacy commands know only one.
    ///   - interval: the interval in units of 0.625 ms.
    ///   - txPower: the power in dBm; `nil` for the controller's choice. Only the extended family can set it.
    package static func advertisingParameters(
        set: Int = 0, interval: UInt16, txPower: Int8? = nil, _ family: CommandFamily,
        from own: OwnAddressType = .public
    ) -> HCICommand {
        switch family {
        case .legacy:
            let times = interval.littleEndianBytes + interval.littleEndianBytes
            return HCICommand(
                .leSetAdvertisingParameters,
                times + [Advertising.nonConnectable, own.rawValue]
                    + Advertising.noPeer + [Advertising.allChannels, Advertising.acceptAll])
        case .extended:
            let time = Array(UInt32(interval).littleEndianBytes.prefix(3))
            let power = UInt8(bitPattern: txPower ?? Advertising.noPreference)
            // Several statements: some type checkers time out on one long sum of arrays.
            var parameters = [Advertising.handle(of: set)]
            parameters += Advertising.legacyNonConnectable.littleEndianBytes
            parameters += time + time
            parameters += [Advertising.allChannels, own.rawValue]
            parameters += Advertising.noPeer
            parameters += [
                Advertising.acceptAll, power, Advertising.le1MPhy, 0, Advertising.le1MPhy,
            ]
            parameters += [0, 0]
            return HCICommand(.leSetExtendedAdvertisingParameters, parameters)
        }
    }

    /// The random address of an advertising set of the gateway (7.8.52). The set must exist.
    package static func advertisingSetRandomAddress(
        _ address: DeviceAddress, set: Int = 0
    ) -> HCICommand {
        HCICommand(
            .leSetAdvertisingSetRandomAddress,
            [Advertising.handle(of: set)] + address.littleEndianBytes)
    }

    /// Whether a command of another program leaves the gateway's advertising sets as they are. Legacy commands name no set.
    package var isForOtherSet: Bool {
        switch opcode {
        case .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData,
            .leRemoveAdvertisingSet:
            return parameters.first.map { !Advertising.handles.contains($0) } ?? false
        case .leSetExtendedAdvertisingEnable:
            // Four bytes for each set, the handle first. Without sets, the command disables all.
            let handles = stride(from: 2, to: parameters.count, by: 4).map { parameters[$0] }
            return !handles.isEmpty && !handles.contains(where: Advertising.handles.contains)
        default: return false
        }
    }

    /// The transmission power that the controller chose, in dBm, from the return parameters of LE Set Extended
    /// Advertising Parameters (7.8.53); `nil` if it reports none.
    package static func selectedTxPower(in answer: Bytes) -> Int8? {
        guard answer.count >= 2, HCIStatus(rawValue: answer[0]) == .success else { return nil }
        let power = Int8(bitPattern: answer[1])
        return power == Advertising.noPreference ? nil : power
    }

    /// The advertising data, at most 31 bytes (7.8.7, 7.8.54).
    package static func advertisingData(
        _ data: [UInt8], set: Int = 0, _ family: CommandFamily
    ) -> HCICommand {
        let data = Array(data.prefix(Advertising.legacyDataCapacity))
        switch family {
        case .legacy:
            let padding = [UInt8](repeating: 0, count: Advertising.legacyDataCapacity - data.count)
            return HCICommand(.leSetAdvertisingData, [UInt8(data.count)] + data + padding)
        case .extended:
            return HCICommand(
                .leSetExtendedAdvertisingData,
                [Advertising.handle(of: set), Advertising.complete, Advertising.doNotFragment]
                    + [UInt8(data.count)] + data)
        }
    }

    /// Advertising on or off (7.8.9, 7.8.56).
    package static func advertisingEnable(
        _ enable: Bool, set: Int = 0, _ family: CommandFamily
    ) -> HCICommand {
        switch family {
        case .legacy: HCICommand(.leSetAdvertisingEnable, [enable ? 1 : 0])
        case .extended:
            // One set, without a limit of time or events.
            HCICommand(
                .leSetExtendedAdvertisingEnable,
                [enable ? 1 : 0, 1, Advertising.handle(of: set), 0, 0, 0])
        }
    }
}

/// The time between two advertisements, in the controller's unit.
///
/// The controller adds up to 10 ms to each interval, so that two beacons collide only by chance (Core 5.4 Vol 6 Part B
/// 4.4.2.2).
package struct AdvertisingInterval: Equatable, Sendable {
    /// Units of 0.625 ms; 0x0020 to 0x4000 (Core 5.4 Vol 4 Part E 7.8.5).
    package let units: UInt16

    private static let allowed = 20...10_240

    /// 100 ms, as in Apple's specification.
    package static let usual = AdvertisingInterval(units: 0xa0)

    private init(units: UInt16) { self.units = units }

    /// The nearest interval to a number of milliseconds; `nil` below 20 and above 10,240.
    package init?(milliseconds: Int) {
        guard Self.allowed.contains(milliseconds) else { return nil }
        // A unit is 5/8 ms. Adding half a unit rounds to the nearest.
        units = UInt16((milliseconds * 16 + 5) / 10)
    }

    /// The interval of a number of units; `nil` below 20 ms and above 10,240 ms.
    package init?(rawUnits units: UInt16) {
        guard (0x0020...0x4000).contains(units) else { return nil }
        self.units = units
    }

    /// The interval in milliseconds.
    package var milliseconds: Double { Double(units) * 0.625 }
}
