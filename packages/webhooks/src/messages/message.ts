import { cutText } from "@querybell/domain";
import type { MessageTable } from "./message-table.ts";

/** What a message says, wherever it is sent. All texts are as their authors wrote them: each place escapes them. */
export interface Message {
  outcome: "completed" | "failed" | "met" | "resolved" | "test";
  /** The automation's name. */
  title: string;
  /** The summary, why the run failed, or the values that the condition was judged by. */
  text: string;
  /** Said below the text, like who wrote it. */
  notes: string[];
  /** The chat of the run; null if it is gone. */
  url: string | null;
  organization: string;
  at: Date;
  /** The values that the run looked at, or the rows of one recipient. */
  tables: MessageTable[];
  /** Why a mail comes to this address. */
  mailReason: string;
}

/** A picture of a chart, for the places that take one with the message. */
export interface MessagePicture {
  title: string;
  png: Uint8Array;
}

/** A picture that a place opens by its address. */
export interface PictureAddress {
  title: string;
  url: string;
}

/** A file that a mail carries besides its pictures. */
export interface MessageFile {
  name: string;
  contentType: string;
  content: Uint8Array;
}

export const outcomeLabels: Record<Message["outcome"], string> = {
  completed: "Run completed",
  failed: "Run failed",
  met: "Condition met",
  resolved: "Condition resolved",
  test: "Test message",
};

interface Fit {
  /** In UTF-16 units of the escaped text. */
  maxLength: number;
  escapeText: (text: string) => string;
}

const cutMarker = " … (cut)";

/** The escaped text. One that is too long is cut, and says so at its end. */
export function fitText(text: string, { maxLength, escapeText }: Fit): string {
  const whole = escapeText(text);
  if (whole.length <= maxLength) return whole;
  const marker = escapeText(cutMarker);
  // Escaping a character makes it longer, never shorter, so each step removes at least what is too much.
  let kept = cutText(text, maxLength);
  for (;;) {
    const escaped = escapeText(kept);
    const excess = escaped.length + marker.length - maxLength;
    if (excess <= 0) return escaped + marker;
    // Escaping makes a character at most ten times as long.
    kept = cutText(kept, Math.max(0, kept.length - Math.max(1, Math.floor(excess / 10))));
  }
}

export const asIs = (text: string): string => text;
