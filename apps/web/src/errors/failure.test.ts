import { TRPCClientError } from "@trpc/client";
import { expect, test } from "vitest";
import { toFailure } from "./failure.ts";

const refused = (reason: string, message: string, errors: { path: string; message: string }[] = []) =>
  new TRPCClientError(message, {
    result: {
      error: { message, code: -32600, data: { reason, httpStatus: 400, code: "BAD_REQUEST", errors } },
    },
  });

test("what is wrong with fields reads as sentences, at each field and together", () => {
  const errors = [
    { path: "maxInFlight", message: "must be at most 256" },
    { path: "connection.settings.host", message: "must be a host name or an address" },
  ];
  const failure = toFailure(refused("invalid_request", "maxInFlight: must be at most 256", errors));
  expect(failure.message).toBe("Max in flight must be at most 256. Host must be a host name or an address.");
  expect(failure.fields).toEqual({
    maxInFlight: "Must be at most 256.",
    "connection.settings.host": "Must be a host name or an address.",
  });
});

test("an abbreviation keeps its capitals", () => {
  const errors = [{ path: "sql", message: "must not be empty" }];
  expect(toFailure(refused("invalid_request", "sql: must not be empty", errors)).message).toBe(
    "SQL must not be empty.",
  );
});

test("a sentence of the server's own is shown as it is", () => {
  const sentence = "The key would be expired already. Choose a time in the future.";
  const errors = [{ path: "expiresAt", message: "must be in the future" }];
  expect(toFailure(refused("invalid_request", sentence, errors)).message).toBe(sentence);
  const limit = "An organization can invite 50 times a day. Go on tomorrow.";
  expect(toFailure(refused("rate_limited", limit)).message).toBe(limit);
  expect(toFailure(refused("conflict", "A rotation is under way.")).message).toBe("A rotation is under way.");
});

test("an error of ours without a useful sentence says what to do", () => {
  expect(toFailure(refused("internal", "x")).message).toMatch(/Try again/);
  expect(toFailure(refused("cursor_expired", "x")).message).toMatch(/Load it again/);
  expect(toFailure(new Error("x is undefined")).message).toMatch(/Reload it/);
});
