import {
  type AttemptResult,
  attemptWithoutRequest,
  type DeliveredEvent,
  type Message,
  type MessageRecipient,
  type Messenger,
  type Sender,
  toDiscordMessage,
  toMail,
  toSlackMessage,
  toTeamsMessage,
} from "@querybell/webhooks";
import type { Deps } from "../deps.ts";
import { parseAddresses } from "./get-destination.ts";
import { readMessage } from "./read-message.ts";
import { attemptMail, type SendMail } from "./send-mail.ts";

interface MessengerDeps extends Pick<Deps, "db" | "clock" | "deployment"> {
  sender: Sender;
  sendMail: SendMail;
  onError: (error: unknown) => void;
}

/** Makes messages of events, for the place where they are sent, and sends them. */
export function createMessenger({ sender, sendMail, onError, ...deps }: MessengerDeps): Messenger {
  async function send(recipient: MessageRecipient, delivery: DeliveredEvent): Promise<AttemptResult> {
    const { eventId, kind, body } = delivery;
    const message = await readMessage(deps, { eventId, isTest: kind === "test", body });
    if (recipient.kind === "mail") {
      const to = parseAddresses(recipient.address ?? "[]");
      const messageId = `<${eventId}.${recipient.id}@querybell>`;
      return attemptMail({ ...deps, sendMail }, { ...toMail(message), to, messageId });
    }
    const post = Buffer.from(JSON.stringify(toPost(recipient.kind, message)));
    return sender.send(recipient, [], { id: eventId, body: post });
  }

  return {
    send: (recipient, delivery) =>
      send(recipient, delivery).catch((error: unknown) => {
        onError(error);
        return attemptWithoutRequest({ kind: "sender_failure", code: "MESSAGE" }, deps.clock.now());
      }),
  };
}

/** The JSON that a place accepts. */
function toPost(kind: MessageRecipient["kind"], message: Message): object {
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

/** What is sent to a destination, as the log shows it. */
export async function showMessage(
  deps: Pick<Deps, "db" | "deployment">,
  kind: MessageRecipient["kind"],
  delivery: DeliveredEvent,
): Promise<string> {
  const { eventId, body } = delivery;
  const message = await readMessage(deps, { eventId, isTest: delivery.kind === "test", body });
  return kind === "mail" ? toMail(message).text : JSON.stringify(toPost(kind, message));
}
