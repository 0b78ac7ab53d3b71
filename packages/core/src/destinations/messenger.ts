import type { RecipientMessage } from "@querybell/domain";
import {
  type AttemptResult,
  attemptWithoutRequest,
  type DeliveredEvent,
  type Message,
  type MessageFile,
  type MessageRecipient,
  type Messenger,
  type PictureAddress,
  type Sender,
  toDiscordMessage,
  toDiscordPost,
  toMail,
  toSlackMessage,
  toTeamsMessage,
} from "@querybell/webhooks";
import type { Deps } from "../deps.ts";
import { csvLine } from "../results/to-csv.ts";
import { parseAddresses } from "./get-destination.ts";
import { linkPictures } from "./link-pictures.ts";
import { csvFile, readCsvFiles } from "./read-csv-files.ts";
import { readMessage, type ToldRun } from "./read-message.ts";
import { readPictures } from "./read-pictures.ts";
import { mayWriteTo } from "./row-recipients.ts";
import { attemptMail, type SendMail } from "./send-mail.ts";

interface MessengerDeps extends Pick<Deps, "db" | "clock" | "deployment" | "engines"> {
  sender: Sender;
  sendMail: SendMail;
  onError: (error: unknown) => void;
}

/** Makes messages of events, for the place where they are sent, and sends them. */
export function createMessenger({ sender, sendMail, onError, ...deps }: MessengerDeps): Messenger {
  async function send(recipient: MessageRecipient, delivery: DeliveredEvent): Promise<AttemptResult> {
    const { eventId, kind, body } = delivery;
    const read = await readMessage(deps, { eventId, isTest: kind === "test", body });
    const { message, run, ofRecipient } = read;
    switch (recipient.kind) {
      case "mail":
        return ofRecipient && ofRecipient.address !== null
          ? sendToOne(recipient, { eventId, message, ofRecipient, address: ofRecipient.address })
          : sendMailToAll(recipient, { eventId, message, run, ofRecipient });
      case "discord": {
        const pictures = await drawPictures(run);
        return sender.send(recipient, [], { id: eventId, ...toDiscordPost(message, pictures) });
      }
      default: {
        const pictures = await orNone(run ? linkPictures(deps, { eventId, run }) : []);
        const post = (shown: PictureAddress[]) => {
          const json = JSON.stringify(toJson(recipient.kind, message, shown));
          return sender.send(recipient, [], { id: eventId, body: Buffer.from(json) });
        };
        const result = await post(pictures);
        // Slack refuses a message whose pictures it cannot open.
        return pictures.length > 0 && result.response?.status === 400 ? post([]) : result;
      }
    }
  }

  async function sendMailToAll(recipient: MessageRecipient, { message, run, ...mail }: MailToSend) {
    const csv = run ? await readCsvFiles(deps, run, recipient.id) : csvOfRecipient(mail.ofRecipient, message);
    const content = toMail(
      { ...message, notes: [...message.notes, ...csv.notes] },
      { pictures: await drawPictures(run), files: csv.files },
    );
    const to = parseAddresses(recipient.address ?? "[]");
    return attemptMail({ ...deps, sendMail }, { ...content, to, messageId: messageIdOf(mail, recipient) });
  }

  /** A mail to the address that rows name. Whether it may be written to is asked again: a message may have been held for long. */
  async function sendToOne(
    recipient: MessageRecipient,
    { message, address, ...mail }: Omit<MailToSend, "run"> & { address: string },
  ) {
    const ownAddresses = parseAddresses(recipient.address ?? "[]");
    if (!(await mayWriteTo(deps, { endpointId: recipient.id, ownAddresses, address }))) {
      const refusal = "The destination may not write to this address any more.";
      return attemptWithoutRequest({ kind: "refused_recipient", message: refusal }, deps.clock.now());
    }
    const { files, notes } = csvOfRecipient(mail.ofRecipient, message);
    const content = toMail({ ...message, notes: [...message.notes, ...notes] }, { files });
    const messageId = messageIdOf(mail, recipient);
    return attemptMail({ ...deps, sendMail }, { ...content, to: [address], messageId, isToOne: true });
  }

  /** A message is better without a picture than not at all. */
  const orNone = <Picture>(pictures: Promise<Picture[]> | Picture[]): Promise<Picture[]> =>
    Promise.resolve(pictures).catch((error: unknown) => {
      onError(error);
      return [];
    });

  const drawPictures = (run: ToldRun | null) => orNone(run === null ? [] : readPictures(deps, run));

  return {
    send: (recipient, delivery) =>
      send(recipient, delivery).catch((error: unknown) => {
        onError(error);
        return attemptWithoutRequest({ kind: "sender_failure", code: "MESSAGE" }, deps.clock.now());
      }),
  };
}

interface MailToSend {
  eventId: string;
  message: Message;
  run: ToldRun | null;
  ofRecipient: RecipientMessage | null;
}

const messageIdOf = ({ eventId }: Pick<MailToSend, "eventId">, { id }: MessageRecipient): string =>
  `<${eventId}.${id}@querybell>`;

/** The rows of one recipient as a file, if the event has all of them. */
function csvOfRecipient(
  ofRecipient: RecipientMessage | null,
  { at }: Message,
): { files: MessageFile[]; notes: string[] } {
  if (!ofRecipient?.csv) return { files: [], notes: [] };
  const { chart, columns, rows, rowCount } = ofRecipient;
  if (rows.length < rowCount) {
    return { files: [], notes: [`the CSV is left out: ${rowCount} rows are too many for a message`] };
  }
  return { files: [csvFile(chart, at, [columns, ...rows].map(csvLine).join(""))], notes: [] };
}

/** The JSON that a place accepts. */
function toJson(
  kind: MessageRecipient["kind"],
  message: Message,
  pictures: readonly PictureAddress[] = [],
): object {
  switch (kind) {
    case "slack":
      return toSlackMessage(message, pictures);
    case "teams":
      return toTeamsMessage(message, pictures);
    case "discord":
      return toDiscordMessage(message);
    default:
      throw new Error(`An endpoint of the kind ${kind} takes no messages.`);
  }
}

/** What is sent to a destination, as the log shows it: without pictures and files. */
export async function showMessage(
  deps: Pick<Deps, "db" | "deployment">,
  kind: MessageRecipient["kind"],
  delivery: DeliveredEvent,
): Promise<string> {
  const { eventId, body } = delivery;
  const { message, ofRecipient } = await readMessage(deps, {
    eventId,
    isTest: delivery.kind === "test",
    body,
  });
  if (kind !== "mail") return JSON.stringify(toJson(kind, message));
  const { text } = toMail(message);
  return ofRecipient?.address ? `To: ${ofRecipient.address}\n\n${text}` : text;
}
