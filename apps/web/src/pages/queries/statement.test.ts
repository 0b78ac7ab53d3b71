import { describe, expect, test } from "vitest";
import { Statement } from "./statement.ts";

const saved = { sql: "SELECT 1", databaseId: "a", version: 3 };
const start = () => new Statement(saved, undefined, "a");

describe("a statement", () => {
  test("is a draft once it differs from what is saved, on the version that it was begun on", () => {
    const statement = start();
    expect(statement.isUnsaved).toBe(false);
    statement.edit({ sql: "SELECT 2" });
    expect(statement).toMatchObject({ sql: "SELECT 2", databaseId: "a", version: 3, isUnsaved: true });
    statement.setSaved({ sql: "SELECT 9", databaseId: "a", version: 4 });
    expect(statement).toMatchObject({ sql: "SELECT 2", version: 3, isUnsaved: true });
    statement.discard();
    expect(statement).toMatchObject({ sql: "SELECT 9", version: 4, isUnsaved: false });
  });

  test("is saved when nobody typed while it was", () => {
    const statement = start();
    statement.edit({ sql: "SELECT 2" });
    statement.markSaved({ sql: "SELECT 2", databaseId: "a", version: 4 });
    expect(statement).toMatchObject({ sql: "SELECT 2", version: 4, isUnsaved: false, draft: undefined });
  });

  test("keeps what was typed while it was saved, on the version that was", () => {
    const statement = start();
    statement.edit({ sql: "SELECT 2" });
    statement.edit({ sql: "SELECT 23" });
    statement.markSaved({ sql: "SELECT 2", databaseId: "a", version: 4 });
    expect(statement).toMatchObject({ sql: "SELECT 23", version: 4, isUnsaved: true });
  });

  test("keeps the definitions that were changed while it was saved, as a change of those that were", () => {
    const inputs = { definitions: [], choices: {}, ranges: [] };
    const defined = { ...inputs, base: { ...inputs, version: 2 } };
    const statement = start();
    statement.define(defined);
    statement.edit({ sql: "SELECT 2" });
    expect(statement.parameters).toBe(defined);
    const range = { displayName: "Period", start: "a", end: "b", includesEnd: true };
    statement.define({ ...defined, ranges: [range] });
    statement.markSaved({ sql: "SELECT 2", databaseId: "a", version: 4 }, defined);
    expect(statement).toMatchObject({ version: 4, isUnsaved: true, isTextUnsaved: false });
    expect(statement.parameters).toEqual({ ...inputs, ranges: [range], base: { ...inputs, version: 3 } });
    statement.edit({ sql: "SELECT 23" });
    statement.markSaved({ sql: "SELECT 2", databaseId: "a", version: 5 }, statement.parameters);
    expect(statement).toMatchObject({ sql: "SELECT 23", parameters: undefined, isUnsaved: true });
  });

  test("of a new query is unsaved with its first letter, on the first database", () => {
    const statement = new Statement({ sql: "", databaseId: undefined, version: 0 }, undefined, "b");
    statement.edit({ sql: "S" });
    expect(statement).toMatchObject({ databaseId: "b", version: 0, isUnsaved: true });
  });

  test("tells of every change until nobody listens", () => {
    const statement = start();
    const heard: string[] = [];
    const unlisten = statement.listen(() => heard.push(statement.sql));
    statement.edit({ sql: "SELECT 2" });
    statement.setSaved(saved);
    statement.discard();
    unlisten();
    statement.edit({ sql: "SELECT 3" });
    expect(heard).toEqual(["SELECT 2", "SELECT 1"]);
  });
});
