import { expect, test } from "vitest";
import {
  findWrongFilters,
  inFolder,
  inView,
  isFolderThere,
  isNarrowed,
  orderOf,
  readListSearch,
  toListInput,
  without,
} from "./list-search.ts";

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

const id = "01a1b2c3-0000-7000-8000-000000000000";

test("opening a folder or a view keeps the search, the filters and the order", () => {
  const kept = { search: "x", sort: "name", reversed: true, createdBy: id } as const;
  expect(inFolder({ ...kept, folder: "a", view: "archived" }, "b")).toEqual({ ...kept, folder: "b" });
  expect(inFolder({ ...kept, folder: "a" }, null)).toEqual(kept);
  expect(inView({ ...kept, folder: "a" }, "favourites")).toEqual({ ...kept, view: "favourites" });
});

test("a filter that cannot be an id is found, and a folder that is not there too", () => {
  expect(findWrongFilters({ database: "zzz", createdBy: id })).toEqual(["database"]);
  expect(without({ database: "zzz", sort: "name" }, ["database"])).toEqual({ sort: "name" });
  expect(isFolderThere({}, undefined)).toBe(true);
  expect(isFolderThere({ folder: "zzz" }, undefined)).toBe(false);
  expect(isFolderThere({ folder: id }, undefined)).toBeUndefined();
  expect(isFolderThere({ folder: id }, [])).toBe(false);
  expect(isFolderThere({ folder: id }, [{ id }])).toBe(true);
});
