import type { Duplex } from "node:stream";
import { FrameReader } from "../channel/channel.ts";

/** The messages that a program sends which was started as a host, parsed as JSON. */
export async function* readMessages(messages: Duplex): AsyncGenerator<unknown> {
  const reader = new FrameReader({ documentBytes: 1024 ** 2, attachmentBytes: 0 });
  for await (const bytes of messages) {
    for (const { document } of reader.read(bytes)) yield JSON.parse(document.toString());
  }
}

/** The first of them. */
export async function firstMessage(messages: Duplex): Promise<unknown> {
  for await (const message of readMessages(messages)) return message;
  throw new Error("The host sent nothing.");
}
