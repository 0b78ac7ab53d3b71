import type { AutomationFailure } from "@querybell/domain";
import type { Mail } from "../mail/mail.ts";

interface EndedRun {
  automationName: string;
  end: { kind: "completed"; summary: string } | { kind: "failed"; failure: AutomationFailure };
  /** Whether an external agent wrote the summary. */
  isUnchecked: boolean;
  chatUrl: string;
  publicUrl: string;
}

/** The mail about the end of a run. */
export function runMail({
  automationName,
  end,
  isUnchecked,
  chatUrl,
  publicUrl,
}: EndedRun): Omit<Mail, "to"> {
  // A subject must be one line.
  const name = automationName.replaceAll(/\s+/g, " ");
  const [subject, what] =
    end.kind === "completed"
      ? [name, isUnchecked ? `${end.summary}\n\n${unchecked}` : end.summary]
      : [`${name}: the run failed`, reasonOf(end.failure)];
  return {
    subject,
    text: `${what}

The chat of this run: ${chatUrl}

You get this mail because the automation "${name}" names you. To stop mails like this one:
${publicUrl}/account/notifications
`,
  };
}

const unchecked = "An external agent wrote this summary. Querybell has not checked it.";

const reasonOf = ({ code, reason }: AutomationFailure): string =>
  code === "stopped" ? "Somebody stopped the run before it was done." : `The run failed. ${reason}`;
