import { describe, expect, test } from "vitest";
import { checkCustomHeaders } from "./custom-headers.ts";

describe("custom headers", () => {
  test("of the usual kinds can be sent", () => {
    expect(checkCustomHeaders({ Authorization: "Bearer x", "X-Team": "a b", "x-empty": "" })).toEqual([]);
  });

  test.each([
    ...["svc-webhook-id", "SVC-Webhook-Signature", "svc-webhook-anything", "webhook-signature", "Webhook-Id"],
    ...[
      "Content-Type",
      "content-length",
      "Host",
      "Connection",
      "Transfer-Encoding",
      "Upgrade",
      "Expect",
      "TE",
    ],
    ...["Trailer", "Keep-Alive", "User-Agent", "Accept-Encoding", "Content-Encoding", "Proxy-Authorization"],
  ])("cannot override %s", (name) => {
    expect(checkCustomHeaders({ [name]: "x" })).toEqual([
      { path: `headers.${name}`, message: "is set by the service and cannot be overridden" },
    ]);
  });

  test.each([
    ["", "x"],
    ["a b", "x"],
    ["a:b", "x"],
    ["a\r\nsvc-webhook-id", "x"],
    ["é", "x"],
    ["x".repeat(101), "x"],
    ["x", "a\r\nsvc-webhook-id: evil"],
    ["x", "a\nb"],
    ["x", "a\u0000b"],
    ["x", "é"],
    ["x", " x"],
    ["x", "x "],
    ["x", "x".repeat(1001)],
  ])("refuse %j: %j", (name, value) => {
    expect(checkCustomHeaders({ [name]: value })).toHaveLength(1);
  });

  test("refuse a name that is there twice in different cases", () => {
    expect(checkCustomHeaders({ "X-A": "1", "x-a": "2" })).toMatchObject([{ path: "headers.x-a" }]);
  });

  test("refuse more than twenty", () => {
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`x-${index}`, "x"]));
    expect(checkCustomHeaders(many)).toMatchObject([{ path: "headers" }]);
  });
});
