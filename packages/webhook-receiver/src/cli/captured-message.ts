import type { CapturedRequest } from "../lib/captured-request.ts";

/** Reads an HTTP request as it is on the wire: a first line or none, headers, an empty line, the body. */
export function parseMessage(message: Buffer): CapturedRequest {
  // Latin-1 keeps one character a byte, so an index in the text is an index in the bytes.
  const separator = /\r?\n\r?\n/.exec(message.toString("latin1"));
  if (!separator) throw new Error("There is no empty line between the headers and the body of this request.");
  const lines = message.toString("latin1", 0, separator.index).split(/\r?\n/);
  const headers = lines.flatMap((line) => {
    const [, name, value] = /^([^\s:]+):\s*(.*?)\s*$/.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [name, value];
  });
  return { headers, body: message.subarray(separator.index + separator[0].length) };
}
