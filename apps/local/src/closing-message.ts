import { styleText } from "node:util";
import { type Demo, demoSignIn } from "@querybell/core";

interface Started {
  url: string;
  /** Absent where the database has organizations of its own. */
  demo: Demo | undefined;
  logFolder: string;
}

const bold = (text: string) => styleText("bold", text);

/** What a person needs next. The retired routes are never among the examples. */
export const closingMessage = ({ url, demo, logFolder }: Started): string => `
${styleText("green", "Querybell is running.")}

  Open          ${bold(url)}
${demo ? tryDemo(url, demo) : noDemo}
Docs: ${url}/docs/    Logs: ${logFolder}    Stop with Ctrl-C.
`;

const noDemo =
  "  This database has organizations of its own, so no demo was added. Sign in as one of its people.\n";

function tryDemo(url: string, { key, queryId, automationId }: Demo): string {
  const call = `curl -H 'Authorization: Bearer ${key}'`;
  return `  Sign in with  ${bold(demoSignIn.email)}  password  ${bold(demoSignIn.password)}
  API key       ${bold(key)}  (the key of an earlier start no longer works)

Try it from another terminal:

  ${call} ${url}/api/key
  ${call} ${url}/api/trpc/references.list
${queryId ? tryQuery({ call, url, queryId }) : ""}${automationId ? tryAutomation({ call, url, automationId }) : ""}
Webhooks: each start sends a test event and runs the demo automation. The receiver in
examples/receiver shows below what it has verified: first those two, then every later delivery.
`;
}

/** Runs a query of the sample shop; the answer names the run whose result can then be downloaded. */
const tryQuery = ({ call, url, queryId }: { call: string; url: string; queryId: string }): string =>
  `  ${call} -H 'Content-Type: application/json' -d '{"id":"${queryId}"}' ${url}/api/trpc/queries.run
  ${call} ${url}/api/runs/<id of the run>/result.csv
`;

/** Runs the demo automation; the receiver shows how it ended. */
const tryAutomation = ({
  call,
  url,
  automationId,
}: {
  call: string;
  url: string;
  automationId: string;
}): string =>
  `  ${call} -H 'Content-Type: application/json' -d '{"id":"${automationId}"}' ${url}/api/trpc/automations.trigger
  ${call} ${url}/api/trpc/automationRuns.list
`;
