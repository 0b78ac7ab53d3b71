import { describe, expect } from "vitest";
import { apiError } from "../testing/api-error.ts";
import { apiTest } from "../testing/api-test.ts";

describe("text that no database stores", () => {
  apiTest.for(["a\0b", "\ud800"])("(%j) is refused in any procedure's input", async (text, { api, make }) => {
    const client = await api.signedIn(await make.owner());
    const calls = [
      () => client.keys.create.mutate({ name: text, scopes: ["queries:run"] }),
      () => client.me.createOrganization.mutate({ name: text }),
      () => client.settings.update.mutate({ name: text }),
      () => api.asNobody().invitations.find.mutate({ token: text }),
    ];
    for (const call of calls) await expect(call()).rejects.toEqual(apiError("invalid_request"));
  });

  apiTest("is refused at sign-in and in password links", async ({ api }) => {
    expect((await api.signIn("a\0@example.test")).status).toBe(400);
    const answer = await api.fetch("/api/auth/reset-password", {
      method: "POST",
      headers: { "content-type": "application/json", origin: api.origin },
      body: JSON.stringify({ token: "a\0", newPassword: "password-999" }),
    });
    expect([answer.status, await answer.json()]).toMatchObject([400, { code: "invalid_request" }]);
  });

  apiTest("is refused at sign-in when its bytes are not UTF-8", async ({ api, make }) => {
    const { email } = await make.user();
    const answer = await api.fetch("/api/auth/sign-in/email", {
      method: "POST",
      headers: { "content-type": "application/json", origin: api.origin },
      body: Buffer.from(JSON.stringify({ email, password: "contraseña-999" }), "latin1"),
    });
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { code: "invalid_request", detail: expect.stringContaining("UTF-8") },
    ]);
  });

  apiTest("is no address either", async ({ api }) => {
    const page = await api.fetch("/a%00b", { headers: { accept: "text/html" } });
    expect([page.status, await page.json()]).toMatchObject([404, { code: "not_found" }]);
    const undecodable = await api.fetch("/%");
    expect([undecodable.status, await undecodable.json()]).toMatchObject([400, { code: "invalid_request" }]);
  });
});

apiTest.for<[string, string, string]>([
  ["nested thousands of levels deep", `{"token":${"[".repeat(20_000)}${"]".repeat(20_000)}}`, "100 levels"],
  ["with a field that schemas pass over", '{"token":{"__proto__":"x"}}', "named __proto__"],
])("an input %s is refused", async ([_, body, words], { api }) => {
  const headers = { "content-type": "application/json", origin: api.origin };
  const answer = await api.fetch("/api/trpc/invitations.find", { method: "POST", headers, body });
  expect([answer.status, await answer.json()]).toMatchObject([
    400,
    { error: { message: expect.stringContaining(words), data: { reason: "invalid_request" } } },
  ]);
});

apiTest("what sign-in refuses comes as a problem with a sentence to act on", async ({ api, make }) => {
  const { email } = await make.user();
  const wrong = await api.signIn(email, "not the password");
  expect(wrong.headers.get("content-type")).toMatch(/^application\/problem\+json/);
  expect(await wrong.json()).toMatchObject({
    code: "unauthorized",
    detail: expect.stringMatching(/wrong\.$/),
  });
});

apiTest("a key's expiry may be written without milliseconds and in any zone", async ({ api, make }) => {
  const client = await api.signedIn(await make.owner());
  const key = { name: "Key", scopes: ["queries:run" as const], expiresAt: "2099-01-01T01:00:00+01:00" };
  expect((await client.keys.create.mutate(key)).expiresAt).toBe("2099-01-01T00:00:00.000Z");
});
