import { createPasswordResetLink } from "@querybell/core/members";
import { queuedMailsTo } from "@querybell/core/testing";
import { expect } from "vitest";
import { type Api, apiTest } from "../testing/api-test.ts";

const newPassword = "an entirely new password";
const tokenIn = (text: string) => /\/reset-password#([\w-]+)/.exec(text)?.[1] ?? "";
const setPassword = (api: Api, token: string, password = newPassword) =>
  api.post("/api/auth/reset-password", { token, newPassword: password });

apiTest(
  "a link to set a password works once, and is not used up by one that is too short",
  async ({ api, make, deps }) => {
    const owner = await make.owner();
    const { userId, email } = await make.member(owner.organizationId);
    const { url } = await createPasswordResetLink(deps, owner, { userId });
    const token = tokenIn(url);
    expect((await setPassword(api, token, "short")).status).toBe(400);
    expect((await setPassword(api, token)).status).toBe(200);
    expect((await setPassword(api, token, "yet another password")).status).toBe(400);
    expect((await api.signIn(email)).status).toBe(401);
    expect((await api.signIn(email, newPassword)).status).toBe(200);
  },
);

apiTest(
  "asking for a mail sends a link that works, and answers the same for an unknown address",
  async ({ api, make, deps }) => {
    const { email } = await make.owner();
    const ask = (address: string) => api.post("/api/auth/request-password-reset", { email: address });
    const [known, unknown] = [await ask(email.toUpperCase()), await ask("nobody@example.test")];
    expect([known.status, await known.text()]).toEqual([unknown.status, await unknown.text()]);
    const [mail] = await queuedMailsTo(deps, email);
    expect((await setPassword(api, tokenIn(mail?.text ?? ""))).status).toBe(200);
    expect(await queuedMailsTo(deps, "nobody@example.test")).toEqual([]);
  },
);
