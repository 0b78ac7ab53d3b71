/** A common mutation of a body, and the body before it, if it happened. */
export interface BodyMutation {
  cause: string;
  original: Uint8Array;
}

const encoder = new TextEncoder();

// The published order of an event's fields. Other orders come from a database or a sorting serializer.
const envelopeOrder = ["id", "type", "createdAt", "data"];
const dataOrder = ["automationId", "runId", "summary", "chatUrl", "imageUrl", "reason"];

/** The possible originals of a body with their mutations, most likely first. */
export function* bodyMutations(body: Uint8Array): Generator<BodyMutation> {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(body);
  const value: unknown = attempt(() => JSON.parse(text.replace(/^\ufeff/, "")));
  const parsed = isShallow(value) ? value : undefined;
  const originals: [cause: string, original: string | undefined][] = [
    ["A byte-order mark was added in front of the body.", text.replace(/^\ufeff/, "")],
    ["A newline or white space was added around the body.", text.replace(/^\ufeff/, "").trim()],
    ["The body's last newline was removed.", `${text}\n`],
    ["The body's byte-order mark was removed.", `\ufeff${text}`],
    ["The body was parsed and serialized again.", attempt(() => JSON.stringify(parsed))],
    [
      "The body was parsed and serialized again, in another order.",
      attempt(() => JSON.stringify(ordered(parsed))),
    ],
    ["The body was encoded again, as Latin-1.", decodeWindows1252(body)],
  ];
  for (const [cause, original] of originals) {
    if (original !== undefined && original !== text) yield { cause, original: encoder.encode(original) };
  }
  if (/[\x80-\xff]/.test(text) && !/[^\0-\xff]/.test(text)) {
    yield {
      cause: "The body's bytes were decoded as Latin-1.",
      original: Uint8Array.from(text, (char) => char.charCodeAt(0)),
    };
  }
}

// The characters of Windows-1252, which most programs mean by Latin-1, in place of the control characters
// 0x80 to 0x9f. Written out, because not every runtime has this decoder, and Node 20 decodes it as
// ISO-8859-1.
const windows1252 = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";

const decodeWindows1252 = (body: Uint8Array): string =>
  Array.from(body, (byte) => windows1252[byte - 0x80] ?? String.fromCharCode(byte)).join("");

/**
 * Whether it can be serialized quickly: the time grows with the square of the depth, and anybody can send a body
 * of nothing but brackets. Our events are a few levels deep.
 */
function isShallow(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; depth < 100 && level.length > 0; depth++) {
    level = level.filter((item) => typeof item === "object" && item !== null).flatMap(Object.values);
  }
  return level.length === 0;
}

/** Not every body is JSON. */
function attempt<Value>(make: () => Value): Value | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}

function ordered(event: unknown): unknown {
  if (!isObject(event) || !("data" in event)) return undefined;
  return inOrder({ ...event, data: inOrder(event.data, dataOrder) }, envelopeOrder);
}

/** The same object with the named fields first, in their order, and the others after them as they come. */
function inOrder(value: unknown, order: readonly string[]): unknown {
  // An object with this many fields is not one of ours, and putting it in order would take long.
  if (!isObject(value) || Object.keys(value).length > 100) return value;
  const rank = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => rank(a) - rank(b)));
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);
