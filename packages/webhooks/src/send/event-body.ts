import { replaceInvisibleInJson } from "@querybell/domain";
import { z } from "zod";

// A cursor names a position in the organization's event stream, and the subscription whose receiver got the event there:
// what that receiver did not get before is known by its deliveries. After a restore of a backup, positions are given a
// second time: the end of the event's id shows whether it is the same event.

interface EventCursor {
  position: bigint;
  endpointId: string;
  /** The end of the id of the event at the position. Absent if there was none, and in cursors of older releases. */
  eventIdEnd?: string | undefined;
}

export const formatEventCursor = ({ position, endpointId, eventIdEnd }: EventCursor): string =>
  `${position}-${endpointId}${eventIdEnd === undefined ? "" : `-${eventIdEnd}`}`;

export const endOfEventId = (id: string): string => id.slice(-12);

const cursor = /^(0|[1-9]\d{0,17})-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:-([0-9a-f]{12}))?$/;

/** Undefined if the text is no cursor. */
export function parseEventCursor(text: string): EventCursor | undefined {
  const [, position = "", endpointId = "", eventIdEnd] = cursor.exec(text) ?? [];
  return endpointId === "" ? undefined : { position: BigInt(position), endpointId, eventIdEnd };
}

const Envelope = z.object({ id: z.string(), type: z.string(), createdAt: z.string(), data: z.unknown() });

export interface StoredEvent {
  body: Uint8Array;
  /** Null for events that subscriptions do not get. */
  position: string | bigint | null;
  endpointId: string;
  /** Null for an endpoint of an admin. */
  subscriptionId: string | null | undefined;
}

/** The bytes that every attempt sends: to an endpoint of an admin the stored ones, to a subscription those of MCP Events. */
export function toSentBody({ body, position, endpointId, subscriptionId }: StoredEvent): Uint8Array {
  if (subscriptionId === null || subscriptionId === undefined || position === null) return body;
  const { id, type, createdAt, data: stored } = Envelope.parse(JSON.parse(Buffer.from(body).toString()));
  // Models read it, and what they cannot see could carry instructions.
  const data = replaceInvisibleInJson(stored);
  const at = formatEventCursor({ position: BigInt(position), endpointId, eventIdEnd: endOfEventId(id) });
  // Without a field `type`, by which receivers know messages that are no events.
  return Buffer.from(JSON.stringify({ eventId: id, name: type, timestamp: createdAt, data, cursor: at }));
}
