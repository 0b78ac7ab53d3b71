import type { DestinationMail } from "@querybell/core/destinations";
import type { Mail } from "@querybell/core/mail";
import { createTransport } from "nodemailer";
import type { WorkerSettings } from "./env.ts";

export interface Mailer {
  send(mail: Mail): Promise<void>;
  /** Resolves with the answer of the mail server. */
  sendToDestination(mail: DestinationMail): Promise<string>;
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
    async sendToDestination({ attachments, isToOne: _, ...mail }) {
      if (!transport) {
        throw Object.assign(new Error("SMTP_URL is not set for this worker."), { code: "NO_SMTP_URL" });
      }
      const { response, rejected } = await transport.sendMail({
        from: MAIL_FROM,
        ...mail,
        attachments: attachments.map(({ content, ...about }) => ({
          ...about,
          content: Buffer.from(content),
        })),
      });
      const { length } = rejected;
      return length === 0 ? response : `${response} (refused for ${length} of ${mail.to.length} addresses)`;
    },
    close: () => transport?.close(),
  };
}
