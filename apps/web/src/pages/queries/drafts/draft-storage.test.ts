import { beforeEach, describe, expect, test, vi } from "vitest";
import { type Draft, StoredDraft } from "./draft-storage.ts";

const draft = (sql: string, second: number): Draft => ({
  sql,
  databaseId: "a",
  version: 1,
  at: new Date(second * 1000).toISOString(),
});

/** What a page that is opened now would show. */
const stored = () => new StoredDraft("query").read?.sql;

beforeEach(() => {
  const items = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, item: string) => void items.set(key, item),
    removeItem: (key: string) => void items.delete(key),
  });
  return () => vi.unstubAllGlobals();
});

describe("a tab", () => {
  test("in which nobody typed keeps the draft of another", () => {
    const [idle, other] = [new StoredDraft("query"), new StoredDraft("query")];
    other.write(draft("typed", 1));
    idle.write(undefined);
    expect(stored()).toBe("typed");
  });

  test("in which nobody typed does not bring a draft back that another has saved", () => {
    new StoredDraft("query").write(draft("typed", 1));
    const [idle, other] = [new StoredDraft("query"), new StoredDraft("query")];
    other.write(undefined);
    idle.write(idle.read);
    expect(stored()).toBeUndefined();
  });

  test("that saves does not remove what was typed later in another", () => {
    const [first, second] = [new StoredDraft("query"), new StoredDraft("query")];
    first.write(draft("earlier", 1));
    second.write(draft("later", 2));
    first.write(undefined);
    expect(stored()).toBe("later");
  });

  test("that is left stores its draft again if another has removed it, but not over a later one", () => {
    const [first, second] = [new StoredDraft("query"), new StoredDraft("query")];
    const typed = draft("earlier", 1);
    first.write(typed);
    second.write(draft("later", 2));
    first.write(typed);
    expect(stored()).toBe("later");
    second.write(undefined);
    first.write(typed);
    expect(stored()).toBe("earlier");
  });

  test("that moves its draft leaves none behind", () => {
    const page = new StoredDraft("new");
    page.write(draft("saved", 1));
    page.move("query");
    page.write(draft("saved, and more", 2));
    expect(stored()).toBe("saved, and more");
    expect(new StoredDraft("new").read).toBeUndefined();
  });
});
