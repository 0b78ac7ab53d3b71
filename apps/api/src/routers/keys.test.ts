import { describe, expect } from "vitest";
import { apiError } from "../testing/api-error.ts";
import { apiTest } from "../testing/api-test.ts";

describe("an API key", () => {
  apiTest("says whose it is at GET /api/key", async ({ api, make, makeKey }) => {
    const owner = await make.owner();
    const { key, id } = await makeKey(owner, { scopes: ["queries:read"] });
    const answer = await api.fetch("/api/key", { headers: { authorization: `Bearer ${key}` } });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      id,
      organization: { id: owner.organizationId },
      user: { id: owner.userId, email: owner.email },
      scopes: ["queries:read"],
      expiresAt: null,
    });
  });

  apiTest("is refused when any character differs", async ({ api, make, makeKey }) => {
    const { key } = await makeKey(await make.owner());
    for (let at = 0; at < key.length; at += 5) {
      const wrong = key.slice(0, at) + (key[at] === "x" ? "y" : "x") + key.slice(at + 1);
      const answer = await api.fetch("/api/key", { headers: { authorization: `Bearer ${wrong}` } });
      expect(answer.status, wrong).toBe(401);
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
      expect(await answer.json()).toMatchObject({ code: "unauthorized", status: 401 });
    }
  });

  apiTest("is refused as soon as it is revoked", async ({ api, make, makeKey }) => {
    const owner = await make.owner();
    const { key, id } = await makeKey(owner);
    const use = () => api.withKey(key).queries.list.query({});
    await use();
    await (await api.signedIn(owner)).keys.revoke.mutate({ id });
    await expect(use()).rejects.toEqual(apiError("unauthorized"));
  });

  apiTest("does not fall back to the session beside it when it is wrong", async ({ api, make }) => {
    const cookie = await api.sessionCookie((await make.owner()).email);
    const answer = await api.fetch("/api/trpc/me.get", {
      headers: { cookie, authorization: "Bearer qb_wrong" },
    });
    expect(answer.status).toBe(401);
  });
});
