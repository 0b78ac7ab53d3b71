import { AppError, type ListPage, type Page } from "@querybell/domain";
import { z } from "zod";

interface Key {
  createdAt: Date;
  id: string;
}

/** What a list adds to its own conditions to read one page, newest first. */
interface Keyset {
  where: { OR?: [{ createdAt: { lt: Date } }, { createdAt: Date; id: { lt: string } }] };
  orderBy: [{ createdAt: "desc" }, { id: "desc" }];
  take: number;
}

const CursorKey = z.tuple([z.iso.datetime(), z.uuid()]);

/** Reads a page, and one row more to know whether another follows. */
export async function readPage<Row extends Key>(
  { limit, cursor }: ListPage,
  find: (keyset: Keyset) => Promise<Row[]>,
): Promise<Page<Row>> {
  const where = cursor === undefined ? {} : before(openCursor(cursor));
  const rows = await find({ where, orderBy: [{ createdAt: "desc" }, { id: "desc" }], take: limit + 1 });
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return rows.length > limit && last ? { items, nextCursor: toCursor(last) } : { items };
}

const before = ({ createdAt, id }: Key): Keyset["where"] => ({
  OR: [{ createdAt: { lt: createdAt } }, { createdAt, id: { lt: id } }],
});

const toCursor = ({ createdAt, id }: Key): string =>
  Buffer.from(JSON.stringify([createdAt.toISOString(), id])).toString("base64url");

function openCursor(cursor: string): Key {
  try {
    const [createdAt, id] = CursorKey.parse(JSON.parse(Buffer.from(cursor, "base64url").toString()));
    return { createdAt: new Date(createdAt), id };
  } catch (cause) {
    throw new AppError(
      "invalid_cursor",
      "This cursor is not one of ours. Send the nextCursor of the page before, or none to start anew.",
      { cause },
    );
  }
}
