import { createClient } from "@querybell/client";

export type Api = ReturnType<typeof createApi>;

/** Calls of the api with the key of one organization. */
export function createApi(url: string, key: string) {
  const client = createClient({ url, apiKey: key });
  const watch = (runId: string, signal: AbortSignal) =>
    fetch(`${url}/api/trpc/runs.watch?input=${encodeURIComponent(JSON.stringify({ id: runId }))}`, {
      headers: { authorization: `Bearer ${key}`, accept: "text/event-stream" },
      signal,
    });
  return {
    client,
    /** Opens a subscription that lasts until the signal ends it. */
    watch,
    /** Runs a query and resolves when it has ended. */
    async runToEnd(queryId: string): Promise<void> {
      const { id } = await client.queries.run.mutate({ id: queryId });
      const stop = new AbortController();
      const answer = await watch(id, stop.signal);
      let text = "";
      for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += chunk;
        if (text.includes('"status":"failed"'))
          throw new Error(`A run of the quiet organization failed: ${text}`);
        if (text.includes('"status":"completed"')) break;
      }
      stop.abort();
    },
  };
}

/** A call with a session, for procedures that reject keys. */
export async function signIn(url: string, publicUrl: string, who: { email: string; password: string }) {
  const headers = { "content-type": "application/json", origin: publicUrl };
  const answer = await fetch(`${url}/api/auth/sign-in/email`, {
    method: "POST",
    headers,
    body: JSON.stringify({ email: who.email, password: who.password }),
  });
  if (!answer.ok) throw new Error(`Signing in answered ${answer.status}.`);
  const cookie = answer.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
  return (procedure: string, input: object) =>
    fetch(`${url}/api/trpc/${procedure}`, {
      method: "POST",
      headers: { ...headers, cookie },
      body: JSON.stringify(input),
    });
}
