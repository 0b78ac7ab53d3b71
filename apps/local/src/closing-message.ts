import { styleText } from "node:util";
import { demoSignIn } from "@querybell/core";

interface Started {
  url: string;
  key: string;
  /** A query to try; there is none when somebody has deleted them all. */
  queryId: string | undefined;
  logFolder: string;
}

/** What a person needs next. The retired routes are never among the examples. */
export function closingMessage({ url, key, queryId, logFolder }: Started): string {
  const command = (text: string) => styleText("bold", text);
  const call = `curl -H 'Authorization: Bearer ${key}'`;
  return `
${styleText("green", "Querybell is running.")}

  Open          ${command(url)}
  Sign in with  ${command(demoSignIn.email)}  password  ${command(demoSignIn.password)}
  API key       ${command(key)}  (the key of an earlier start no longer works)

Try it from another terminal:

  ${call} ${url}/api/key
  ${call} ${url}/api/trpc/references.list
${queryId ? `${tryQuery({ call, url, queryId })}\n` : ""}
Webhooks: each start sends a test event, signed, to the receiver in examples/receiver. What it
has verified is shown below, with every later delivery.

Docs: ${url}/docs/    Logs: ${logFolder}    Stop with Ctrl-C.
`;
}

/** Runs a query of the sample shop; the answer names the run whose result can then be downloaded. */
const tryQuery = ({ call, url, queryId }: { call: string; url: string; queryId: string }): string =>
  `  ${call} -H 'Content-Type: application/json' -d '{"id":"${queryId}"}' ${url}/api/trpc/queries.run
  ${call} ${url}/api/runs/<id of the run>/result.csv`;
