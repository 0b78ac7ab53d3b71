import { describe, expect } from "vitest";
import { apiError } from "../testing/api-error.ts";
import { restTest } from "../testing/rest-test.ts";

const test = restTest
  .extend("serverSettings", { RATE_LIMIT_PER_MINUTE: 1_000_000 })
  .extend("cursor", { scope: "file" }, async ({ rest, make }) => {
    const { owner, call, signIn } = await rest.start();
    const { id: queryId } = await make.query(owner, "SELECT 1");
    for (let count = 0; count < 2; count++) {
      await call("/api/queries/refs", { method: "POST", body: { queryId } });
    }
    const { nextCursor } = (await call("/api/queries/refs?limit=1")).body;
    const next = async (cursor: string, list = "/api/queries/refs") => {
      const { status, body } = await call(`${list}?cursor=${encodeURIComponent(cursor)}`);
      return [status, body.code ?? body.items.length];
    };
    return { text: String(nextCursor), call, next, signIn };
  });

const invalid = [400, "invalid_cursor"];

describe("a cursor over HTTP", () => {
  test("works, any number of times", async ({ cursor }) => {
    expect(await cursor.next(cursor.text)).toEqual([200, 1]);
    expect(await cursor.next(cursor.text)).toEqual([200, 1]);
  });

  test("that is cut, or has any character changed, is invalid", async ({ cursor: { text, next } }) => {
    for (let at = 0; at < text.length; at++) {
      if (at > 0) expect(await next(text.slice(0, at))).toEqual(invalid);
      const changed = text[at] === "A" ? "B" : "A";
      expect(await next(text.slice(0, at) + changed + text.slice(at + 1))).toEqual(invalid);
    }
    for (const nonsense of ["x", " ", "%00", "🔔", `${text}A`, text.repeat(3), "../..", "null", "", "\0"]) {
      expect(await next(nonsense), nonsense).toEqual(invalid);
    }
    expect(await next("A".repeat(2001))).toEqual(invalid);
  });

  test("that cannot be used is invalid over tRPC too", async ({ cursor }) => {
    const client = await cursor.signIn();
    for (const nonsense of ["", "x", "a\0b", "A".repeat(2001)]) {
      const page = client.references.list.query({ cursor: nonsense });
      await expect(page, nonsense).rejects.toEqual(apiError("invalid_cursor"));
    }
    const twoMistakes = client.references.list.query({ cursor: "", limit: 1000 });
    await expect(twoMistakes).rejects.toEqual(apiError("invalid_request"));
  });

  test("of another list, organization or filter is invalid", async ({ cursor, rest }) => {
    expect(await cursor.next(cursor.text, "/api/queries")).toEqual(invalid);
    const other = await rest.start();
    const { status, body } = await other.call(`/api/queries/refs?cursor=${cursor.text}`);
    expect([status, body.code]).toEqual(invalid);
    // The list over tRPC also has references without a query, so it is another list.
    const client = await cursor.signIn();
    const { nextCursor = "" } = await client.references.list.query({ limit: 1 });
    expect(await cursor.next(nextCursor)).toEqual(invalid);
  });

  test("lives for 24 hours and not a second longer", async ({ cursor: { text, next }, clock }) => {
    await clock.advance(24 * 3_600_000);
    expect(await next(text)).toEqual([200, 1]);
    await clock.advance(1_000);
    expect(await next(text)).toEqual([400, "cursor_expired"]);
  });
});

test("a sequence of pages ends six days after its first page, however new its last cursor is", async ({
  rest,
  make,
  clock,
}) => {
  const { owner, call } = await rest.start();
  for (let count = 0; count < 9; count++) await make.reference(owner, "SELECT 1");
  let cursor = "";
  const next = async () => {
    const { status, body } = await call(`/api/queries/refs?limit=1${cursor && `&cursor=${cursor}`}`);
    cursor = encodeURIComponent(body.nextCursor);
    return [status, body.code ?? body.items.length];
  };
  expect(await next()).toEqual([200, 1]);
  for (let day = 1; day <= 6; day++) {
    await clock.advance(24 * 3_600_000);
    expect(await next(), `day ${day}`).toEqual([200, 1]);
  }
  await clock.advance(1);
  expect(await next()).toEqual([400, "cursor_expired"]);
});
