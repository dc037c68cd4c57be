import Posix

/// Why a request is refused before its handler.
enum RequestFault: Error, Equatable {
    case target(RequestTarget.Fault)
    case unknownMethod
    case headersTooLarge(Int)
    /// A field whose name is no token: it would hide another one.
    case fieldName
    /// A NUL byte, a folded line or doubled blanks, behind which a reader may see other text than a proxy.
    case hiddenBytes
    /// Fields that leave open where the body ends, or which host is meant.
    case ambiguous
    case bodyTooLarge(Int)
    case excess
}

extension RequestFault {
    var answer: RequestGuard.Answer {
        switch self {
        case .target(let fault): RequestGuard.Answer(fault.problem, .malformed)
        case .unknownMethod:
            RequestGuard.Answer(
                Problem(.notImplemented, "The server does not know this method; use GET."),
                .malformed)
        case .headersTooLarge(let limit):
            RequestGuard.Answer(
                Problem(
                    .headersTooLarge,
                    "The request's header fields exceed \(limit) bytes; send fewer or shorter ones."
                ),
                .size)
        case .fieldName:
            RequestGuard.Answer(
                Problem(
                    .badRequest,
                    "The name of a header field is malformed; put its colon directly behind the name."
                ),
                .malformed)
        case .hiddenBytes:
            RequestGuard.Answer(
                Problem(
                    .badRequest,
                    "The request line or a header field has a NUL byte, a folded line, or more "
                        + "than one blank between words; send plain text in single lines."),
                .malformed)
        case .ambiguous:
            RequestGuard.Answer(
                Problem(
                    .badRequest,
                    "The request's length or host is ambiguous; send one Host field and one of "
                        + "Content-Length and “Transfer-Encoding: chunked”."),
                .malformed)
        case .bodyTooLarge(let limit):
            RequestGuard.Answer(
                Problem(
                    .contentTooLarge,
                    "The request's body exceeds \(limit) bytes; send a shorter one."),
                .size)
        case .excess: .excess
        }
    }
}

extension RequestGuard.Answer {
    /// Counted already, with the connection.
    static var excess: Self {
        Self(
            .retry(
                .serviceUnavailable, after: 5,
                "The server has reached its limit of clients; retry after 5 s."), nil)
    }
}

/// How many bytes of body a request announces (RFC 9112, section 6).
typealias BodyFraming = Result<Int, RequestFault>

extension BodyFraming {
    /// The least number of bytes; 1 for a chunked body.
    init(_ headers: Headers) {
        let lengths = headers.all("content-length")
        let codings = headers.all("transfer-encoding")
        switch (lengths.count, codings.count) {
        case (0, 0): self = .success(0)
        case (0, 1) where codings[0].lowercased() == "chunked": self = .success(1)
        case (1, 0):
            let digits = lengths[0].utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
            let length = digits ? Int(lengths[0]) : nil
            self = length.map(Self.success) ?? .failure(.ambiguous)
        default: self = .failure(.ambiguous)
        }
    }
}

extension RequestHead {
    /// Checks a request line and its header fields.
    init(
        method: String, target: [UInt8], _ headers: Headers, from peer: PeerAddress,
        _ limits: HTTPLimits
    ) throws(RequestFault) {
        guard let method = Method(rawValue: method) else { throw .unknownMethod }
        guard headers.size <= limits.headerBytes else {
            throw .headersTooLarge(limits.headerBytes)
        }
        guard headers.areNamed else { throw .fieldName }
        guard headers.all("host").count <= 1 else { throw .ambiguous }
        let parsed: RequestTarget
        do { parsed = try RequestTarget(parsing: target) } catch { throw .target(error) }
        self.init(method, parsed, headers, from: Self.client(of: peer, headers, limits))
    }

    /// The client behind a proxy of this machine.
    private static func client(
        of peer: PeerAddress, _ headers: Headers, _ limits: HTTPLimits
    ) -> PeerAddress {
        guard limits.trusts(peer),
            let last = headers.all("x-forwarded-for").last?.split(separator: ",").last
        else { return peer }
        return PeerAddress(String(last.drop { $0 == " " })) ?? peer
    }
}
