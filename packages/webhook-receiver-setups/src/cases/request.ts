import { completedEvent, signedHeaders } from "@querybell/webhook-test-sender";
import type { RawRequest } from "../raw-http.ts";
import type { Given, Step } from "./case.ts";

export interface Changes {
  /** The start of the id, by which the handler decides what to do. */
  action?: "fail" | "wait" | "release" | "read";
  /** The whole id. Default: a new one. */
  id?: string;
  /** Seconds from now to the signed time. */
  seconds?: number;
  secret?: "secret" | "newSecret" | "unknown";
  /** What is signed. Default: an event. */
  body?: Uint8Array | string;
  /** What is sent in place of the signed body. */
  sentBody?: (signed: Uint8Array) => Uint8Array;
  /** Changes the headers after signing. A value of undefined removes one, an array repeats it. */
  headers?: (signed: Record<string, string>) => Record<string, string | string[] | undefined>;
  framing?: RawRequest["framing"];
  absoluteTarget?: boolean;
}

const unknownSecret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

/** A genuine delivery with these changes. */
export const delivery =
  (changes: Changes = {}): Step["send"] =>
  (given) => {
    const { action, seconds = 0, secret = "secret", framing = "length", absoluteTarget = false } = changes;
    const id = changes.id ?? [action, given.unique].filter(Boolean).join("-");
    const body = Buffer.from(changes.body ?? JSON.stringify(completedEvent(id)));
    const signed = signedHeaders({
      secret: secretOf(secret, given),
      body,
      id,
      timestamp: given.now + seconds,
    });
    const headers = { ...signed, ...changes.headers?.(signed) };
    return {
      headers: Object.entries(headers).flatMap(([name, values]) =>
        [values ?? []].flat().map((value): [string, string] => [name, value]),
      ),
      body: changes.sentBody?.(body) ?? body,
      framing,
      absoluteTarget,
    };
  };

const secretOf = (name: NonNullable<Changes["secret"]>, given: Given): string =>
  name === "unknown" ? unknownSecret : given[name];
