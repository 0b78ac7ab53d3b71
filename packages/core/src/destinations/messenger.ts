import {
  type AttemptResult,
  attemptWithoutRequest,
  type DeliveredEvent,
  type Message,
  type MessagePicture,
  type MessageRecipient,
  type Messenger,
  type Sender,
  toDiscordMessage,
  toDiscordPost,
  toMail,
  toSlackMessage,
  toTeamsMessage,
} from "@querybell/webhooks";
import type { Deps } from "../deps.ts";
import { parseAddresses } from "./get-destination.ts";
import { readMessage, type ToldRun } from "./read-message.ts";
import { readPictures } from "./read-pictures.ts";
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
    const { message, run } = await readMessage(deps, { eventId, isTest: kind === "test", body });
    switch (recipient.kind) {
      case "mail": {
        const to = parseAddresses(recipient.address ?? "[]");
        const messageId = `<${eventId}.${recipient.id}@querybell>`;
        const mail = toMail(message, await drawPictures(run));
        return attemptMail({ ...deps, sendMail }, { ...mail, to, messageId });
      }
      case "discord":
        return sender.send(recipient, [], {
          id: eventId,
          ...toDiscordPost(message, await drawPictures(run)),
        });
      default: {
        const json = JSON.stringify(toJson(recipient.kind, message));
        return sender.send(recipient, [], { id: eventId, body: Buffer.from(json) });
      }
    }
  }

  /** A message is better without a picture than not at all. */
  const drawPictures = (run: ToldRun | null): Promise<MessagePicture[]> =>
    run === null
      ? Promise.resolve([])
      : readPictures(deps, run).catch((error: unknown) => {
          onError(error);
          return [];
        });

  return {
    send: (recipient, delivery) =>
      send(recipient, delivery).catch((error: unknown) => {
        onError(error);
        return attemptWithoutRequest({ kind: "sender_failure", code: "MESSAGE" }, deps.clock.now());
      }),
  };
}

/** The JSON that a place accepts. */
function toJson(kind: MessageRecipient["kind"], message: Message): object {
  switch (kind) {
    case "slack":
      return toSlackMessage(message);
    case "teams":
      return toTeamsMessage(message);
    case "discord":
      return toDiscordMessage(message);
    default:
      throw new Error(`An endpoint of the kind ${kind} takes no messages.`);
  }
}

/** What is sent to a destination, as the log shows it: without pictures. */
export async function showMessage(
  deps: Pick<Deps, "db" | "deployment">,
  kind: MessageRecipient["kind"],
  delivery: DeliveredEvent,
): Promise<string> {
  const { eventId, body } = delivery;
  const { message } = await readMessage(deps, { eventId, isTest: delivery.kind === "test", body });
  return kind === "mail" ? toMail(message).text : JSON.stringify(toJson(kind, message));
}
