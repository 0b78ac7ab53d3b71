import { createTestSecret, signedHeaders } from "@querybell/webhook-test-sender";
import { describe, expect, test } from "vitest";
import * as nodeBuild from "../src/index.node.ts";
import * as webBuild from "../src/index.web.ts";
import { behaviours } from "./behaviours.ts";

describe.each([
  ["Node", nodeBuild],
  ["Web Crypto", webBuild],
])("the %s build", (_, kit) => {
  test.each(Object.entries(behaviours))("%s", async (_, behaviour) => {
    await behaviour(kit);
  });
});

describe("verifySync", () => {
  const secret = createTestSecret();
  const receiver = nodeBuild.createReceiver({ secrets: secret });

  test("answers the delivery at once", () => {
    const body = "anything";
    expect(receiver.verifySync({ headers: signedHeaders({ secret, body, id: "a" }), body }).id).toBe("a");
  });

  test("throws the same error as verify, with the general hint", () => {
    const headers = signedHeaders({ secret, body: "one" });
    expect(() => receiver.verifySync({ headers, body: "two" })).toThrow(
      expect.objectContaining({ code: "signature_mismatch", hint: expect.stringContaining("raw body") }),
    );
  });
});
