import type { Refusal } from "@querybell/guard";

/** The step that an attempt is in. */
export type Phase = "dns" | "connect" | "tls" | "response";

type TlsProblem = "expired" | "not_yet_valid" | "wrong_name" | "untrusted" | "handshake";

/** How an attempt ended. Only `success` is one. */
export type Outcome =
  | { kind: "success"; status: number }
  | { kind: "status"; status: number }
  | { kind: "redirect"; status: number; location: string | undefined }
  | { kind: "timeout"; phase: Phase }
  | { kind: "tls"; problem: TlsProblem; code: string }
  | { kind: "connection_refused" }
  | { kind: "connection_reset" }
  | { kind: "unreachable"; code: string }
  | { kind: "invalid_response"; code: string }
  /** Our machine has run out of sockets, ports or memory, or our code failed. Not the receiver's fault. */
  | { kind: "sender_failure"; code: string }
  /** A message to one of many people cannot reach this one. It is not tried again, and is not the destination's fault. */
  | { kind: "refused_recipient"; message: string }
  /** By the guard: `refused_url`, `refused_address` or `dns`. */
  | Refusal;

/** The outcome's short name, for searching and for metrics: `success`, `status_500`, `tls_expired` … */
export function outcomeClass(outcome: Outcome): string {
  if (outcome.kind === "status") return `status_${outcome.status}`;
  if (outcome.kind === "tls") return `tls_${outcome.problem}`;
  return outcome.kind;
}

const timeoutSentences: Record<Phase, string> = {
  dns: "The name servers did not answer in time.",
  connect: "The receiver did not accept the connection in time.",
  tls: "The TLS handshake did not finish in time.",
  response: "The receiver accepted the request and did not answer in time.",
};

const tlsSentences: Record<TlsProblem, string> = {
  expired: "The receiver's certificate has expired.",
  not_yet_valid: "The receiver's certificate is not valid yet.",
  wrong_name: "The receiver's certificate is for another host name.",
  untrusted: "The receiver's certificate is not signed by a trusted authority, or its chain is incomplete.",
  handshake: "The receiver did not complete a TLS handshake.",
};

/** The codes of the HTTP parser name what is wrong with the response; other codes say nothing to a person. */
const parserCode = (code: string) => (code.startsWith("HPE_") ? ` (${code})` : "");

/** The outcome as a sentence for the endpoint's owner. */
export function describeOutcome(outcome: Outcome): string {
  switch (outcome.kind) {
    case "success":
      return `The receiver answered ${outcome.status}.`;
    case "status":
      return `The receiver answered ${outcome.status}; only 2xx counts as success.`;
    case "redirect":
      return `The receiver answered ${outcome.status}. Redirects are not followed: set the final URL.`;
    case "timeout":
      return timeoutSentences[outcome.phase];
    case "tls":
      return tlsSentences[outcome.problem];
    case "connection_refused":
      return "Nothing accepts connections at the receiver's address and port.";
    case "connection_reset":
      return "The receiver closed the connection before answering.";
    case "unreachable":
      return `The receiver's network cannot be reached (${outcome.code}).`;
    case "invalid_response":
      return `The receiver's answer is not valid HTTP/1.1${parserCode(outcome.code)}.`;
    case "sender_failure":
      return `The service could not send (${outcome.code}). This is not the receiver's fault.`;
    default:
      return outcome.message;
  }
}

/** Milliseconds of each step. Undefined for a step that did not happen, such as `connect` on a reused connection. */
interface Timings {
  dns: number | undefined;
  connect: number | undefined;
  tls: number | undefined;
  /** From writing the request to the first byte of the response. */
  firstByte: number | undefined;
  total: number;
}

export interface ReceivedResponse {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The first 4 KiB, as received: compressed bytes are not decompressed. */
  body: Uint8Array;
  /** How many bytes were read; `body` has the first of them. */
  bodyBytes: number;
  /** `cut`: we stopped at 64 KiB. `deadline`: the time was up. `broken`: the receiver ended the connection early. */
  bodyEnd: "complete" | "cut" | "deadline" | "broken";
}

/** The result of one attempt to deliver one event to one endpoint. */
export interface AttemptResult {
  outcome: Outcome;
  startedAt: Date;
  /** As sent: name, value, name, value … without `host` and `content-length`. Empty if the guard refused the URL. */
  headers: readonly string[];
  /** The checked address of the connection. */
  address: string | undefined;
  /** Whether the request was sent on a connection that an earlier attempt left open. */
  reusedConnection: boolean;
  timings: Timings;
  response: ReceivedResponse | undefined;
}

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
