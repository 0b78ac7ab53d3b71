import type { CreateApiKey } from "@querybell/domain";
import { apiTest } from "./api-test.ts";

interface Send {
  method?: string;
  /** Sent as JSON, a string as it is. */
  body?: unknown;
  headers?: Record<string, string>;
}

/** A test of the published REST routes with API keys. */
export const restTest = apiTest.extend("rest", { scope: "file" }, ({ api, make, makeKey }) => {
  /** Calls with this key, or without one. `body` is undefined if the answer has none. */
  const calling =
    (key: string | undefined) =>
    async (path: string, { method = "GET", body, headers = {} }: Send = {}) => {
      const answer = await api.fetch(path, {
        method,
        headers: {
          ...(key !== undefined && { authorization: `Bearer ${key}` }),
          ...(body !== undefined && { "content-type": "application/json" }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const text = await answer.text();
      return {
        status: answer.status,
        headers: answer.headers,
        body: text === "" ? undefined : JSON.parse(text),
      };
    };

  /** A new organization, and a key of its owner. */
  const start = async (options?: Partial<CreateApiKey>) => {
    const owner = await make.owner();
    const { key } = await makeKey(owner, options);
    return { owner, key, call: calling(key), signIn: () => api.signedIn(owner) };
  };

  return { calling, start };
});
