import type { CapturedRequest } from "../lib/captured-request.ts";

/** A request as it was captured, and how that differs from what its Content-Length announces. */
export interface CapturedMessage extends CapturedRequest {
  readonly body: Buffer;
  /** The bytes of the body according to Content-Length, if it was there. */
  readonly announcedBytes: number | undefined;
  /** Whether a newline came after the announced bytes, as editors add one. It is not in the body. */
  readonly newlineCut: boolean;
}

/** An HTTP request as it is on the wire: a first line or none, headers, an empty line, the body. */
export function parseMessage(message: Buffer): CapturedMessage {
  // Latin-1 keeps one character a byte, so an index in the text is an index in the bytes.
  const separator = /\r?\n\r?\n/.exec(message.toString("latin1"));
  if (!separator) throw new Error("There is no empty line between the headers and the body of this request.");
  const lines = message.toString("latin1", 0, separator.index).split(/\r?\n/);
  const headers = lines.flatMap((line) => {
    const [, name, value] = /^([^\s:]+):(.*)$/.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value.trim()] as const];
  });
  const body = message.subarray(separator.index + separator[0].length);
  const headerOf = (wanted: string) => headers.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? "";
  if (/chunked/i.test(headerOf("transfer-encoding"))) {
    return { headers, body: dechunked(body) ?? body, announcedBytes: undefined, newlineCut: false };
  }
  const [announced] = /^\d+$/.exec(headerOf("content-length")) ?? [];
  if (announced === undefined) return { headers, body, announcedBytes: undefined, newlineCut: false };
  const announcedBytes = Number(announced);
  const newlineCut = /^\r?\n$/.test(body.toString("latin1", announcedBytes));
  return { headers, body: newlineCut ? body.subarray(0, announcedBytes) : body, announcedBytes, newlineCut };
}

/** The content of the chunks. Undefined if the body is not chunked: many tools write it decoded. */
function dechunked(body: Buffer): Buffer | undefined {
  const text = body.toString("latin1");
  const parts: Buffer[] = [];
  const sizeLine = /([0-9a-f]{1,8})[ \t]*(?:;[^\r\n]*)?\r?\n/iy;
  for (let match = sizeLine.exec(text); match; match = sizeLine.exec(text)) {
    const end = sizeLine.lastIndex + Number.parseInt(match[1] ?? "", 16);
    const part = body.subarray(sizeLine.lastIndex, end);
    // The last chunk is the empty one. Trailers may follow, which are not part of the body.
    if (part.length === 0) return Buffer.concat(parts);
    parts.push(part);
    const [lineEnd] = /^\r?\n/.exec(text.slice(end, end + 2)) ?? [];
    if (lineEnd === undefined) return undefined;
    sizeLine.lastIndex = end + lineEnd.length;
  }
  return undefined;
}
