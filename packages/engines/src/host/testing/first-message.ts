import type { Duplex } from "node:stream";
import { FrameReader } from "../channel/frames.ts";

/** The first message that a program sends which was started as a host, parsed as JSON. */
export async function firstMessage(messages: Duplex): Promise<unknown> {
  const reader = new FrameReader({ documentBytes: 1024 ** 2, attachmentBytes: 0 });
  for await (const bytes of messages) {
    for (const { document } of reader.read(bytes)) return JSON.parse(document.toString());
  }
  throw new Error("The host sent nothing.");
}
