import { expect, test } from "vitest";
import { type Folder, idsWithin, listTree, pathText, toTree } from "./folder-tree.ts";

const folder = (id: string, parentId: string | null): Folder => ({
  id,
  parentId,
  name: id.toUpperCase(),
  isFavourite: false,
  mayEdit: true,
  createdBy: "",
  createdAt: "",
  updatedAt: "",
});
const folders = [
  folder("a", null),
  folder("b", "a"),
  folder("c", "b"),
  folder("d", null),
  folder("e", "gone"),
];

test("folders become a tree; one whose parent is unknown is at the top", () => {
  expect(toTree(folders)).toMatchObject([
    { id: "a", children: [{ id: "b", children: [{ id: "c", children: [] }] }] },
    { id: "d", children: [] },
    { id: "e", children: [] },
  ]);
});

test("the tree is listed from top to bottom, and searched with the folders around what is found", () => {
  const list = (words: string) => listTree(folders, words).map(({ id, level }) => `${id}${level}`);
  expect(list("")).toEqual(["a1", "b2", "c3", "d1", "e1"]);
  expect(list(" C ")).toEqual(["a1", "b2", "c3"]);
  expect(list("a / b")).toEqual(["a1", "b2", "c3"]);
  expect(list("x")).toEqual([]);
});

test("a folder is named with those that contain it", () => {
  expect(pathText(folders, "c")).toBe("A / B / C");
  expect(pathText(folders, null)).toBe("");
});

test("a folder contains itself and all below it", () => {
  expect([...idsWithin(folders, "b")]).toEqual(["b", "c"]);
});
