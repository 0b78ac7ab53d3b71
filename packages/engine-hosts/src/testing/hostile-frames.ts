import fc from "fast-check";
import { encodeFrame } from "../channel/channel.ts";

/** The task that the frames are about. */
export const fuzzedTaskId = 1;

const id = fc.constant(fuzzedTaskId);
const report = fc.oneof(
  fc.record({ kind: fc.constant("started"), id }),
  fc.record({ kind: fc.constant("progress"), id, rows: fc.nat() }),
  fc.record({ kind: fc.constant("progress"), id: fc.nat({ max: 9 }), rows: fc.nat() }),
  fc.record({
    kind: fc.constant("list"),
    id,
    piece: fc.record({ list: fc.constant("schemas"), items: fc.array(fc.string(), { maxLength: 5 }) }),
  }),
);
const frameOf = (document: string, attachment = new Uint8Array()) =>
  Buffer.concat([encodeFrame(document, attachment.length), attachment]);

const valid = fc.oneof(
  { weight: 4, arbitrary: report.map((each) => frameOf(JSON.stringify(each))) },
  {
    weight: 1,
    arbitrary: fc
      .uint8Array({ minLength: 1, maxLength: 100 })
      .map((bytes) => frameOf(JSON.stringify({ kind: "chunk", id: fuzzedTaskId }), bytes)),
  },
);

const lengths = fc
  .tuple(fc.nat({ max: 0xffffffff }), fc.nat({ max: 0xffffffff }))
  .map(([document, bytes]) => {
    const prefix = Buffer.alloc(8);
    prefix.writeUInt32BE(document, 0);
    prefix.writeUInt32BE(bytes, 4);
    return prefix;
  });
const random = fc.uint8Array({ minLength: 1, maxLength: 300 }).map((bytes) => Buffer.from(bytes));
const mutated = fc
  .tuple(
    valid,
    fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 4 }),
  )
  .map(([frame, changes]) => {
    for (const [position, byte] of changes) frame[position % frame.length] = byte;
    return frame;
  });
const cut = fc.tuple(valid, fc.nat()).map(([frame, length]) => frame.subarray(0, length % frame.length));
const anyJson = fc.json({ maxDepth: 30 }).map((document) => frameOf(document));
const flood = fc
  .tuple(valid, fc.integer({ min: 100, max: 3000 }))
  .map(([frame, times]) => Buffer.concat(Array(times).fill(frame)));

/** What one hostile host sends: frames that a host may send, and at the end one that it may not. */
export const hostileBytes = fc
  .tuple(
    fc.array(valid, { minLength: 20, maxLength: 60 }),
    fc.oneof(...[lengths, random, mutated, cut, anyJson].map((arbitrary) => ({ weight: 10, arbitrary })), {
      weight: 1,
      arbitrary: flood,
    }),
  )
  .map(([frames, last]) => ({ frameCount: frames.length + 1, bytes: Buffer.concat([...frames, last]) }));
