import type { AutomationFailure } from "@querybell/domain";
import type { Mail } from "../mail/mail.ts";

interface EndedRun {
  automationName: string;
  end: { kind: "completed"; summary: string } | { kind: "failed"; failure: AutomationFailure };
  chatUrl: string;
  publicUrl: string;
}

/** The mail about the end of a run. */
export function runMail({ automationName, end, chatUrl, publicUrl }: EndedRun): Omit<Mail, "to"> {
  // A subject must be one line.
  const name = automationName.replaceAll(/\s+/g, " ");
  const [subject, what] =
    end.kind === "completed" ? [name, end.summary] : [`${name}: the run failed`, reasonOf(end.failure)];
  return {
    subject,
    text: `${what}

The chat of this run: ${chatUrl}

You get this mail because the automation "${name}" names you. To stop mails like this one:
${publicUrl}/account/notifications
`,
  };
}

const reasonOf = ({ code, reason }: AutomationFailure): string =>
  code === "stopped" ? "Somebody stopped the run before it was done." : `The run failed. ${reason}`;
