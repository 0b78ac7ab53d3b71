import { expect, test } from "vitest";
import { type Folder, idsWithin, pathText, toTree } from "./folder-tree.ts";

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

test("a folder is named with those that contain it", () => {
  expect(pathText(folders, "c")).toBe("A / B / C");
  expect(pathText(folders, null)).toBe("");
});

test("a folder contains itself and all below it", () => {
  expect([...idsWithin(folders, "b")]).toEqual(["b", "c"]);
});
