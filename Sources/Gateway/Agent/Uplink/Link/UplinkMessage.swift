import Beacons
import HCI
import Outbox
import Primitives
import Radio

/// A message from the radio's process to the uplink's.
package enum UplinkMessage: Equatable, Sendable {
    /// A batch to publish, with the wall clock at the time when it was made.
    ///
    /// `isDecided`: an earlier uplink had it and may have sent it, so its message never changes.
    case batch(StoredBatch, isDecided: Bool)
    case radio(RadioHealth)
    /// The state of the controller and of the advertising.
    case controller(ControllerState)
    /// The result of an order, and the state of the radio after it.
    case answer(ApplyResult, ControllerState)
    /// What the radio's process uses; the uplink answers with its account, as a sign of life.
    case usage(ProcessUsage)
    /// Read the configuration file again.
    case reload
    /// Deliver or store all batches, publish `offline`, and end.
    case stop
}

/// What a process takes of the machine.
package struct ProcessUsage: Equatable, BitwiseCopyable, Sendable {
    /// Resident bytes that no other process shares.
    package var anonymousBytes: Int64 = 0
    package var processor: Duration = .zero

    package init() {}
}

extension UplinkMessage {
    private enum Kind: UInt8 {
        case batch, decidedBatch, radio, controller, answer, usage, reload, stop
    }

    /// The message of a batch from its stored form.
    static func encoded(batch stored: [UInt8], isDecided: Bool) -> [UInt8] {
        [(isDecided ? Kind.decidedBatch : .batch).rawValue] + stored
    }

    /// Whether these are the bytes of a batch, intact or not.
    static func isBatch(_ bytes: [UInt8]) -> Bool {
        bytes.first.flatMap(Kind.init).map { $0 == .batch || $0 == .decidedBatch } ?? false
    }

    package var encoded: [UInt8] {
        switch self {
        case .batch(let stored, let isDecided):
            return Self.encoded(batch: stored.encoded, isDecided: isDecided)
        case .radio(let health): return Self.encoded(.radio) { $0.put(memory: health) }
        case .controller(let state): return Self.encoded(.controller) { state.write(to: &$0) }
        case .answer(let result, let state):
            return Self.encoded(.answer) {
                result.write(to: &$0)
                state.write(to: &$0)
            }
        case .usage(let usage): return Self.encoded(.usage) { $0.put(memory: usage) }
        case .reload: return [Kind.reload.rawValue]
        case .stop: return [Kind.stop.rawValue]
        }
    }

    private static func encoded(_ kind: Kind, _ write: (inout ByteWriter) -> Void) -> [UInt8] {
        var writer = ByteWriter(capacity: 256)
        writer.put(byte: kind.rawValue)
        write(&writer)
        return writer.bytes
    }

    package init(decoding bytes: [UInt8]) throws(DecodeError) {
        var reader = ByteReader(bytes[...])
        guard let kind = Kind(rawValue: try reader.byte()) else { throw DecodeError(offset: 0) }
        switch kind {
        case .batch, .decidedBatch:
            let stored = try StoredBatch(decoding: Array(bytes.dropFirst()))
            self = .batch(stored, isDecided: kind == .decidedBatch)
            return
        case .radio: self = .radio(try reader.memory(RadioHealth.self))
        case .controller: self = .controller(try ControllerState(from: &reader))
        case .answer:
            let result = try ApplyResult(from: &reader)
            self = .answer(result, try ControllerState(from: &reader))
        case .usage: self = .usage(try reader.memory(ProcessUsage.self))
        case .reload: self = .reload
        case .stop: self = .stop
        }
        guard reader.isAtEnd else { throw DecodeError(offset: reader.offset) }
    }
}

extension ByteWriter {
    /// The memory of a value, for a process of the same program file.
    mutating func put<Value: BitwiseCopyable>(memory value: Value) {
        put(withUnsafeBytes(of: value) { Array($0) })
    }
}

extension ByteReader {
    /// A value whose memory a process of the same program file sent: only its size is checked. For the radio's process
    /// as the sender, which has more rights than the receiver.
    mutating func memory<Value: BitwiseCopyable>(_: Value.Type) throws(DecodeError) -> Value {
        let start = offset
        let size = MemoryLayout<Value>.size
        let bytes = try bytes(atMost: UInt64(size))
        guard bytes.count == size else { throw DecodeError(offset: start) }
        return bytes.withUnsafeBytes { $0.loadUnaligned(as: Value.self) }
    }
}

/// The limit of texts in messages.
private let maxText: UInt64 = 1 << 16

extension ControllerState {
    fileprivate func write(to writer: inout ByteWriter) {
        writer.put(byte: isReady ? 1 : 0)
        writer.put(address?.rawValue) { $0.put(fixed: $1) }
        writer.put(family?.rawValue) { $0.put($1) }
        writer.put(advertising.advertising) { $1.write(to: &$0) }
        writer.put(advertising.txPowerDbm) { $0.put(byte: UInt8(bitPattern: $1)) }
        writer.put(failure) { $0.put($1) }
    }

    fileprivate init(from reader: inout ByteReader) throws(DecodeError) {
        self.init()
        isReady = try reader.byte() == 1
        address = try reader.optional { reader throws(DecodeError) in
            DeviceAddress(rawValue: try reader.fixed())
        }
        let start = reader.offset
        if let word = try reader.text() {
            guard let known = CommandFamily(rawValue: word) else {
                throw DecodeError(offset: start)
            }
            family = known
        }
        advertising = AdvertisingState(
            advertising: try reader.optional { reader throws(DecodeError) in
                try Advertising(from: &reader)
            }, txPowerDbm: try reader.power())
        failure = try reader.text()
    }
}

extension Advertising {
    fileprivate func write(to writer: inout ByteWriter) {
        writer.put(byte: beacon.identity.format.rawValue)
        writer.put(fixed: beacon.identity.uuid.high)
        writer.put(fixed: beacon.identity.uuid.low)
        writer.put(UInt64(beacon.identity.major))
        writer.put(UInt64(beacon.identity.minor))
        writer.put(byte: UInt8(bitPattern: beacon.measuredPower))
        writer.put(byte: formats.rawValue)
        writer.put(UInt64(interval.units))
        writer.put(txPowerDbm) { $0.put(byte: UInt8(bitPattern: $1)) }
    }

    fileprivate init(from reader: inout ByteReader) throws(DecodeError) {
        let start = reader.offset
        guard let format = BeaconIdentity.Format(rawValue: try reader.byte()) else {
            throw DecodeError(offset: start)
        }
        let uuid = ProximityUUID(high: try reader.fixed(), low: try reader.fixed())
        let major = UInt32(try reader.count(atMost: UInt64(UInt16.max)))
        let minor = UInt32(try reader.count(atMost: UInt64(UInt16.max)))
        let measuredPower = Int8(bitPattern: try reader.byte())
        let formats = BeaconFormats(rawValue: try reader.byte())
        let units = UInt16(try reader.count(atMost: UInt64(UInt16.max)))
        guard let interval = AdvertisingInterval(rawUnits: units) else {
            throw DecodeError(offset: start)
        }
        self.init(
            beacon: IBeacon(
                identity: BeaconIdentity(format, prefix: uuid, suffix: major << 16 | minor),
                measuredPower: measuredPower), formats: formats, interval: interval,
            txPowerDbm: try reader.power())
    }
}

extension ApplyResult {
    private enum Kind: UInt8 {
        case applied, refused, postponed
    }

    fileprivate func write(to writer: inout ByteWriter) {
        writer.put(id)
        switch outcome {
        case .applied: writer.put(byte: Kind.applied.rawValue)
        case .postponed: writer.put(byte: Kind.postponed.rawValue)
        case .refused(let refusal):
            writer.put(byte: Kind.refused.rawValue)
            writer.put(refusal.opcode) { $0.put(UInt64($1.rawValue)) }
            writer.put(refusal.status) { $0.put(byte: $1.rawValue) }
            writer.put(byte: refusal.concernsInterval ? 1 : 0)
            writer.put(refusal.sentence)
        }
    }

    fileprivate init(from reader: inout ByteReader) throws(DecodeError) {
        let id = try reader.number()
        let start = reader.offset
        switch Kind(rawValue: try reader.byte()) {
        case .applied: self.init(id: id, outcome: .applied)
        case .postponed: self.init(id: id, outcome: .postponed)
        case .refused:
            let opcode = try reader.optional { reader throws(DecodeError) in
                Opcode(rawValue: UInt16(try reader.count(atMost: UInt64(UInt16.max))))
            }
            let status = try reader.optional { reader throws(DecodeError) in
                HCIStatus(rawValue: try reader.byte())
            }
            let concernsInterval = try reader.byte() == 1
            self.init(
                id: id,
                outcome: .refused(
                    AdvertisingRefusal(
                        opcode: opcode, status: status, concernsInterval: concernsInterval,
                        sentence: try reader.text(atMost: maxText))))
        case nil: throw DecodeError(offset: start)
        }
    }
}

extension ByteReader {
    fileprivate mutating func text() throws(DecodeError) -> String? {
        try optional { reader throws(DecodeError) in try reader.text(atMost: maxText) }
    }

    fileprivate mutating func power() throws(DecodeError) -> Int8? {
        try optional { reader throws(DecodeError) in Int8(bitPattern: try reader.byte()) }
    }
}
