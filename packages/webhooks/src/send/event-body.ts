import { z } from "zod";

// A cursor names a position in the organization's event stream, and the subscription whose receiver got the event there:
// what that receiver did not get before is known by its deliveries.

interface EventCursor {
  position: bigint;
  endpointId: string;
}

export const formatEventCursor = ({ position, endpointId }: EventCursor): string =>
  `${position}-${endpointId}`;

const cursor = /^(0|[1-9]\d{0,17})-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Undefined if the text is no cursor. */
export function parseEventCursor(text: string): EventCursor | undefined {
  const [, position = "", endpointId = ""] = cursor.exec(text) ?? [];
  return endpointId === "" ? undefined : { position: BigInt(position), endpointId };
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
  const { id, type, createdAt, data } = Envelope.parse(JSON.parse(Buffer.from(body).toString()));
  const at = formatEventCursor({ position: BigInt(position), endpointId });
  // Without a field `type`, by which receivers know messages that are no events.
  return Buffer.from(JSON.stringify({ eventId: id, name: type, timestamp: createdAt, data, cursor: at }));
}
