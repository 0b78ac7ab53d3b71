import { styleText } from "node:util";
import { type Demo, demoSignIn } from "./demo/seed-demo.ts";

interface Started {
  url: string;
  /** Absent if the database already has other organizations. */
  demo: Demo | undefined;
  logFolder: string;
  /** How the processes that run queries are isolated. */
  isolation: string;
  /** What else there is to know about this way of running it. */
  note?: string | undefined;
}

const bold = (text: string) => styleText("bold", text);

/** The message after the start: addresses, sign-in and commands to try. It never shows the deprecated REST routes. */
export const closingMessage = ({ url, demo, logFolder, isolation, note }: Started): string => `
${styleText("green", "Querybell is running.")}

  Open          ${bold(url)}
${demo ? tryDemo(url, demo) : noDemo}
${note ? `${note}\n` : ""}Isolation of queries: ${isolation}
Docs: ${url}/docs/    Logs: ${logFolder}    Stop with Ctrl-C.
`;

const noDemo =
  "  This database has its own organizations, so no demo was added. Sign in as one of its people.\n";

function tryDemo(url: string, { key, queryId, automation, receiver }: Demo): string {
  const canTrigger = automation !== undefined && automation.state !== "paused";
  const call = `curl -H 'Authorization: Bearer ${key}'`;
  return `  Sign in with  ${bold(demoSignIn.email)}  password  ${bold(demoSignIn.password)}
  API key       ${bold(key)}

Try it from another terminal:

  ${call} ${url}/api/key
  ${call} ${url}/api/trpc/references.list
${queryId ? tryQuery({ call, url, queryId }) : ""}${canTrigger ? tryAutomation({ call, url, automationId: automation.id }) : ""}
${describeTriggered({ automation, receiver })}
`;
}

/** What this start has triggered, and why it has not triggered the rest. */
function describeTriggered({ automation, receiver }: Pick<Demo, "automation" | "receiver">): string {
  if (!receiver.isReached) {
    return `Webhooks: nothing arrives at examples/receiver, because its endpoint is disabled or webhooks are off. Its
deliveries are held until webhookEndpoints.enable, signed in as above, or npm run operator -- webhooks on.${aboutAutomation[automation?.state ?? "deleted"]}`;
  }
  const alsoRuns = automation?.state === "triggered" ? " and runs the demo automation" : "";
  return `Webhooks: this start sends a test event${alsoRuns}. The receiver in examples/receiver
prints the deliveries that it has verified below.${aboutAutomation[automation?.state ?? "deleted"]}`;
}

const aboutAutomation = {
  triggered: "",
  paused:
    "\nThe demo automation is paused, so it was not run: automations.update with enabled true starts it again.",
  busy: "\nThe demo automation is busy with earlier runs, so no other was started: automationRuns.list shows them.",
  deleted: "\nThe demo automation was deleted, so none was run.",
};

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
