import { parseArgs } from "node:util";
import { sampleEvent } from "../lib/sample-event.ts";
import { signRequest } from "../lib/sign-request.ts";
import { secretsOf } from "./secrets-of.ts";

/** The sender's own deadline. */
const deadlineMs = 10_000;

export async function send(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      secret: { type: "string", multiple: true },
      url: { type: "string" },
      type: { type: "string", default: "automation.run.completed" },
    },
  });
  if (!values.url) throw new Error("Say where to send: --url http://localhost:3000/webhooks");
  const [secret, ...others] = secretsOf(values.secret);
  if (others.length > 0) throw new Error("send signs with one secret: pass --secret once.");
  const event = sampleEvent(values.type);
  const signed = await signRequest({ secret, payload: event });
  const signal = AbortSignal.timeout(deadlineMs);
  const response = await fetch(values.url, { method: "POST", redirect: "manual", signal, ...signed }).catch(
    (error: Error) => {
      throw new Error(`No answer from ${values.url}: ${error.cause ?? error}`);
    },
  );
  console.log(`sent     ${event.type} ${event.id}`);
  // On one line and without control characters, so that a response cannot control the terminal.
  const text = (await response.text()).slice(0, 1000).replaceAll(/\p{Cc}/gu, " ");
  console.log(`answered ${response.status} ${text}`);
  if (response.ok) return 0;
  console.log("The sender takes any answer but 2xx as a failure, and retries.");
  return 1;
}
