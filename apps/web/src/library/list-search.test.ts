import { expect, test } from "vitest";
import { isNarrowed, orderOf, readListSearch, toListInput } from "./list-search.ts";

test("an address keeps what is known and leaves the defaults out", () => {
  expect(readListSearch({ sort: "updated", view: "else", search: "", folder: 7, other: "x" })).toEqual({
    folder: "7",
  });
  expect(readListSearch({ sort: "name", reversed: "true", view: "archived", createdBy: "a" })).toEqual({
    sort: "name",
    reversed: true,
    view: "archived",
    createdBy: "a",
  });
});

test("names begin with A, and changes with the newest, unless the order is reversed", () => {
  expect(orderOf({ sort: "name" })).toBe("ascending");
  expect(orderOf({})).toBe("descending");
  expect(orderOf({ sort: "name", reversed: true })).toBe("descending");
});

test("a search looks into folders below the chosen one, and the folder alone does not", () => {
  expect(toListInput("query", { folder: "f" })).toMatchObject({ folderId: "f", withSubfolders: false });
  expect(toListInput("query", { folder: "f", search: " x " })).toMatchObject({
    search: "x",
    withSubfolders: true,
  });
  expect(isNarrowed({ sort: "name" })).toBe(false);
  expect(isNarrowed({ view: "archived" })).toBe(true);
});
