import type { Mail } from "@querybell/core/mail";
import { createTransport } from "nodemailer";
import type { WorkerSettings } from "./env.ts";

export interface Mailer {
  send(mail: Mail): Promise<void>;
  close(): void;
}

export function createMailer({
  SMTP_URL,
  MAIL_FROM,
}: Pick<WorkerSettings, "SMTP_URL" | "MAIL_FROM">): Mailer {
  const transport = SMTP_URL ? createTransport(SMTP_URL) : undefined;
  return {
    async send({ to, subject, text }) {
      if (!transport) throw new Error("A mail is waiting, and SMTP_URL is not set for this worker.");
      await transport.sendMail({ from: MAIL_FROM, to, subject, text });
    },
    close: () => transport?.close(),
  };
}
