import type { Refusal } from "@querybell/guard";

/** The step that an attempt is in. */
export type Phase = "dns" | "connect" | "tls" | "response";

export type TlsProblem = "expired" | "not_yet_valid" | "wrong_name" | "untrusted" | "handshake";

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
  /** By the guard: `refused_url`, `refused_address` or `dns`. */
  | Refusal;

/** The outcome's short name, for searching and for metrics: `success`, `status_500`, `tls_expired` … */
export function outcomeClass(outcome: Outcome): string {
  if (outcome.kind === "status") return `status_${outcome.status}`;
  if (outcome.kind === "tls") return `tls_${outcome.problem}`;
  return outcome.kind;
}

const timeouts: Record<Phase, string> = {
  dns: "The name servers did not answer in time.",
  connect: "The receiver did not accept the connection in time.",
  tls: "The TLS handshake did not finish in time.",
  response: "The receiver accepted the request and did not answer in time.",
};

const tlsProblems: Record<TlsProblem, string> = {
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
      return timeouts[outcome.phase];
    case "tls":
      return tlsProblems[outcome.problem];
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
