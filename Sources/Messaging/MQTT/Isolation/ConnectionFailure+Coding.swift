import Posix
import Primitives

/// The limit of texts: words of OpenSSL, or the names of two files.
private let maxText: UInt64 = 1 << 14

extension ConnectionFailure.Cause {
    private enum Kind: UInt8 {
        case requested, configuration, hostNotFound, noThread, unreachable, tls, refused
        case closedUnanswered, dismissed, takenOver, lost, silent, connectUnanswered
        case unacknowledged, protocolViolation, invalidPacket, process, webServer, library
    }

    func write(to writer: inout ByteWriter) {
        func put(_ kind: Kind) { writer.put(byte: kind.rawValue) }
        switch self {
        case .requested: put(.requested)
        case .configuration(let fault):
            put(.configuration)
            writer.put(fault)
        case .hostNotFound: put(.hostNotFound)
        case .noThread(let error):
            put(.noThread)
            writer.put(error)
        case .unreachable(let error):
            put(.unreachable)
            writer.put(error)
        case .tls(let failure):
            put(.tls)
            failure.write(to: &writer)
        case .refused(let reason):
            put(.refused)
            writer.put(byte: reason.rawValue)
        case .closedUnanswered: put(.closedUnanswered)
        case .dismissed(let reason):
            put(.dismissed)
            writer.put(byte: reason.rawValue)
        case .takenOver(let clientID):
            put(.takenOver)
            writer.put(clientID)
        case .lost(let error):
            put(.lost)
            writer.put(error) { $0.put($1) }
        case .silent: put(.silent)
        case .connectUnanswered: put(.connectUnanswered)
        case .unacknowledged: put(.unacknowledged)
        case .protocolViolation: put(.protocolViolation)
        case .invalidPacket: put(.invalidPacket)
        case .process(let cause):
            put(.process)
            writer.put(cause)
        case .webServer: put(.webServer)
        case .library(let code, let error):
            put(.library)
            writer.put(signed: code)
            writer.put(error)
        }
    }

    init(from reader: inout ByteReader) throws(DecodeError) {
        let start = reader.offset
        switch Kind(rawValue: try reader.byte()) {
        case .requested: self = .requested
        case .configuration: self = .configuration(try reader.text(atMost: maxText))
        case .hostNotFound: self = .hostNotFound
        case .noThread: self = .noThread(try reader.error())
        case .unreachable: self = .unreachable(try reader.error())
        case .tls: self = .tls(try TLSFailure(from: &reader))
        case .refused: self = .refused(try reader.reason())
        case .closedUnanswered: self = .closedUnanswered
        case .dismissed: self = .dismissed(try reader.reason())
        case .takenOver: self = .takenOver(clientID: try reader.text(atMost: maxText))
        case .lost:
            self = .lost(
                try reader.optional { reader throws(DecodeError) in try reader.error() })
        case .silent: self = .silent
        case .connectUnanswered: self = .connectUnanswered
        case .unacknowledged: self = .unacknowledged
        case .protocolViolation: self = .protocolViolation
        case .invalidPacket: self = .invalidPacket
        case .process: self = .process(try reader.text(atMost: maxText))
        case .webServer: self = .webServer
        case .library:
            let code = Int(try reader.signed(within: Int64(CInt.max)))
            self = .library(code, try reader.error())
        case nil: throw DecodeError(offset: start)
        }
    }
}

extension TLSFailure {
    private enum Kind: UInt8 {
        case certificateNotAccepted, hostNameMismatch, clientCertificateRequired
        case clientCertificateRejected, notTLS, cutOff, other
    }

    fileprivate func write(to writer: inout ByteWriter) {
        let (kind, words): (Kind, String) =
            switch self {
            case .certificateNotAccepted(let words): (.certificateNotAccepted, words)
            case .hostNameMismatch: (.hostNameMismatch, "")
            case .clientCertificateRequired: (.clientCertificateRequired, "")
            case .clientCertificateRejected(let words): (.clientCertificateRejected, words)
            case .notTLS: (.notTLS, "")
            case .cutOff(let words): (.cutOff, words)
            case .other(let words): (.other, words)
            }
        writer.put(byte: kind.rawValue)
        writer.put(words)
    }

    fileprivate init(from reader: inout ByteReader) throws(DecodeError) {
        let start = reader.offset
        let kind = Kind(rawValue: try reader.byte())
        let words = try reader.text(atMost: maxText)
        switch kind {
        case .certificateNotAccepted: self = .certificateNotAccepted(words)
        case .hostNameMismatch: self = .hostNameMismatch
        case .clientCertificateRequired: self = .clientCertificateRequired
        case .clientCertificateRejected: self = .clientCertificateRejected(words)
        case .notTLS: self = .notTLS
        case .cutOff: self = .cutOff(words)
        case .other: self = .other(words)
        case nil: throw DecodeError(offset: start)
        }
    }
}

extension ByteWriter {
    fileprivate mutating func put(_ error: Errno) { put(signed: Int(error.rawValue)) }
}

extension ByteReader {
    fileprivate mutating func error() throws(DecodeError) -> Errno {
        Errno(rawValue: CInt(try signed(within: Int64(CInt.max))))
    }
}
