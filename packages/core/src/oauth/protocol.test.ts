import { describe, expect, test } from "vitest";
import { answerUrl, hostOf, isRedirectUri, isRegistered, provesChallenge } from "./protocol.ts";

describe("the address of a program", () => {
  test.each([
    "https://claude.ai/api/mcp/auth_callback",
    "http://127.0.0.1:33418/callback",
    "http://[::1]:1/",
    "http://localhost/callback",
    "cursor://anysphere.cursor-mcp/oauth/callback",
    "com.example.app:/callback",
  ])("can be %s", (uri) => {
    expect(isRedirectUri(uri)).toBe(true);
  });

  test.each([
    "http://example.com/callback",
    "http://localhost.evil.example/callback",
    "http://127.0.0.1.evil.example/",
    "https://example.com/#fragment",
    "https://example.com/#",
    "https://user:password@example.com/",
    "https://example.com/a b",
    "https://example.com/\n",
    "javascript:alert(1)",
    "data:text/html,hello",
    "file:///etc/passwd",
    "myapp:/callback",
    "/callback",
    "",
  ])("cannot be %j", (uri) => {
    expect(isRedirectUri(uri)).toBe(false);
  });

  test("is exactly one that it has registered, except for the port on this computer", () => {
    const registered = ["https://example.com/callback", "http://127.0.0.1/callback"];
    expect(isRegistered("https://example.com/callback", registered)).toBe(true);
    expect(isRegistered("http://127.0.0.1:5000/callback", registered)).toBe(true);
    for (const foreign of [
      "https://example.com/callback/",
      "https://example.com/callback?a=1",
      "https://example.com:444/callback",
      "https://EXAMPLE.com/callback",
      "https://example.com/callback/../other",
      "https://example.com.evil.example/callback",
      "http://127.0.0.1:5000/other",
      "http://localhost:5000/callback",
    ]) {
      expect([foreign, isRegistered(foreign, registered)]).toEqual([foreign, false]);
    }
  });

  test("is shown by its host", () => {
    expect(hostOf("https://claude.ai/callback")).toBe("claude.ai");
    expect(hostOf("http://127.0.0.1:5000/callback")).toBe("this computer");
    expect(hostOf("cursor://anysphere.cursor-mcp/oauth")).toBe("cursor://anysphere.cursor-mcp");
  });
});

test("an answer keeps the parameters of the address, and replaces those of the protocol", () => {
  const to = { redirectUri: "https://example.com/callback?tenant=7&iss=forged", state: "a b&c" };
  const url = new URL(answerUrl(to, { code: "1" }, { publicUrl: "https://querybell.example" }));
  expect(Object.fromEntries(url.searchParams)).toEqual({
    ...{ tenant: "7", code: "1", state: "a b&c", iss: "https://querybell.example" },
  });
});

test("a verifier proves its challenge, the challenge itself does not", () => {
  // From RFC 7636, appendix B.
  const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
  expect(provesChallenge("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", challenge)).toBe(true);
  expect(provesChallenge(challenge, challenge)).toBe(false);
  expect(provesChallenge("", challenge)).toBe(false);
});
