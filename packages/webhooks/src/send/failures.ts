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

const closed = new Set(["ECONNRESET", "EPIPE", "ECONNABORTED"]);
const ownLack = new Set(["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM", "EADDRNOTAVAIL", "EADDRINUSE"]);

/** Why no connection came to be. */
export function connectionFailure(error: unknown, phase: Phase): Outcome {
  const code = codeOf(error);
  if (closed.has(code)) return { kind: "connection_reset" };
  if (phase === "tls") return { kind: "tls", problem: tlsProblems[code] ?? "handshake", code };
  if (code === "ECONNREFUSED") return { kind: "connection_refused" };
  if (code === "ETIMEDOUT") return { kind: "timeout", phase: "connect" };
  return { kind: ownLack.has(code) ? "sender_failure" : "unreachable", code };
}

/** Why a request that was written got no status. */
export function exchangeFailure(error: unknown, answerBegan: boolean): Outcome {
  const code = codeOf(error);
  if (code === "UND_ERR_INVALID_ARG") return { kind: "sender_failure", code };
  return answerBegan ? { kind: "invalid_response", code } : { kind: "connection_reset" };
}

const codeOf = (error: unknown) =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "EUNKNOWN";
