import { describe, expect, test } from "vitest";
import { describeOutcome, type Outcome, outcomeClass, toConnectionFailure } from "./outcome.ts";

describe("an outcome", () => {
  test.each<[Outcome, string, RegExp]>([
    [{ kind: "success", status: 204 }, "success", /answered 204/],
    [{ kind: "status", status: 500 }, "status_500", /only 2xx counts/],
    [{ kind: "redirect", status: 301, location: "/b" }, "redirect", /set the final URL/],
    [{ kind: "timeout", phase: "dns" }, "timeout", /name servers did not answer/],
    [{ kind: "timeout", phase: "tls" }, "timeout", /handshake did not finish/],
    [{ kind: "tls", problem: "expired", code: "CERT_HAS_EXPIRED" }, "tls_expired", /has expired/],
    [{ kind: "connection_refused" }, "connection_refused", /Nothing accepts connections/],
    [{ kind: "connection_reset" }, "connection_reset", /closed the connection/],
    [{ kind: "unreachable", code: "EHOSTUNREACH" }, "unreachable", /cannot be reached \(EHOSTUNREACH\)/],
    [{ kind: "invalid_response", code: "HPE_INVALID" }, "invalid_response", /not valid HTTP/],
    [{ kind: "sender_failure", code: "EMFILE" }, "sender_failure", /not the receiver's fault/],
    [{ kind: "dns", message: "There is no host." }, "dns", /no host/],
  ])("%j has a class and a sentence", (outcome, name, sentence) => {
    expect(outcomeClass(outcome)).toBe(name);
    expect(describeOutcome(outcome)).toMatch(sentence);
  });
});

describe("a connection that fails with", () => {
  const failing = (code: string) => Object.assign(new Error(code), { code });

  test.each(["EMFILE", "ENOBUFS", "EADDRNOTAVAIL"])("%s is our own failure", (code) => {
    expect(toConnectionFailure(failing(code), "connect")).toEqual({ kind: "sender_failure", code });
  });

  test.each(["EHOSTUNREACH", "ENETUNREACH"])("%s is unreachable", (code) => {
    expect(toConnectionFailure(failing(code), "connect")).toEqual({ kind: "unreachable", code });
  });

  test("ETIMEDOUT is a timeout while connecting", () => {
    expect(toConnectionFailure(failing("ETIMEDOUT"), "connect")).toEqual({
      kind: "timeout",
      phase: "connect",
    });
  });
});
