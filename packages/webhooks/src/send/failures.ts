import type { Outcome, Phase, TlsProblem } from "./outcome.ts";

const tlsProblems: Record<string, TlsProblem> = {
  CERT_HAS_EXPIRED: "expired",
  CERT_NOT_YET_VALID: "not_yet_valid",
  ERR_TLS_CERT_ALTNAME_INVALID: "wrong_name",
  DEPTH_ZERO_SELF_SIGNED_CERT: "untrusted",
  SELF_SIGNED_CERT_IN_CHAIN: "untrusted",
  UNABLE_TO_GET_ISSUER_CERT: "untrusted",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "untrusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "untrusted",
  CERT_SIGNATURE_FAILURE: "untrusted",
  CERT_CHAIN_TOO_LONG: "untrusted",
  CERT_REVOKED: "untrusted",
  CERT_UNTRUSTED: "untrusted",
  CERT_REJECTED: "untrusted",
  INVALID_CA: "untrusted",
  INVALID_PURPOSE: "untrusted",
  PATH_LENGTH_EXCEEDED: "untrusted",
};

const closedByPeer = new Set(["ECONNRESET", "EPIPE", "ECONNABORTED"]);
/** Our machine has run out of sockets, ports or memory. */
const outOfResources = new Set(["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM", "EADDRNOTAVAIL", "EADDRINUSE"]);

/** The outcome of an attempt that could not connect. */
export function toConnectionFailure(error: unknown, phase: Phase): Outcome {
  const code = codeOf(error);
  if (closedByPeer.has(code)) return { kind: "connection_reset" };
  if (phase === "tls") return { kind: "tls", problem: tlsProblems[code] ?? "handshake", code };
  if (code === "ECONNREFUSED") return { kind: "connection_refused" };
  if (code === "ETIMEDOUT") return { kind: "timeout", phase: "connect" };
  return { kind: outOfResources.has(code) ? "sender_failure" : "unreachable", code };
}

/** The outcome of an attempt that sent its request and received no status. */
export function toRequestFailure(error: unknown, hasFirstByte: boolean): Outcome {
  const code = codeOf(error);
  if (code === "UND_ERR_INVALID_ARG") return { kind: "sender_failure", code };
  return hasFirstByte ? { kind: "invalid_response", code } : { kind: "connection_reset" };
}

const codeOf = (error: unknown) =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "EUNKNOWN";
