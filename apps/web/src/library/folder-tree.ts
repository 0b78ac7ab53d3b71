import type { Outputs } from "@querybell/client";

export type Folder = Outputs["folders"]["list"][number];

export interface FolderNode extends Folder {
  children: FolderNode[];
}

/** The folders as a tree. They come sorted by name, and so are the children. */
export function toTree(folders: readonly Folder[]): FolderNode[] {
  const nodes = new Map(
    folders.map((folder): [string, FolderNode] => [folder.id, { ...folder, children: [] }]),
  );
  const top: FolderNode[] = [];
  for (const node of nodes.values()) {
    const parent = node.parentId === null ? undefined : nodes.get(node.parentId);
    (parent ? parent.children : top).push(node);
  }
  return top;
}

/** A folder in a list that shows the tree by indentation. The level of the top is 1. */
interface ListedFolder extends Folder {
  level: number;
  path: string;
}

/** The tree from top to bottom: folders whose path has the words, and those that contain them. */
export function listTree(folders: readonly Folder[], words: string): ListedFolder[] {
  const wanted = words.trim().toLowerCase();
  const list = (nodes: readonly FolderNode[], above: string, level: number): ListedFolder[] =>
    nodes.flatMap(({ children, ...folder }) => {
      const path = `${above}${folder.name}`;
      const below = list(children, `${path} / `, level + 1);
      const isShown = below.length > 0 || path.toLowerCase().includes(wanted);
      return isShown ? [{ ...folder, level, path }, ...below] : [];
    });
  return list(toTree(folders), "", 1);
}

/** The folder and those that contain it, from the top. Empty if there is no such folder. */
export function pathOf(folders: readonly Folder[], id: string | null | undefined): Folder[] {
  const byId = new Map(folders.map((folder) => [folder.id, folder]));
  const path: Folder[] = [];
  // At most as many steps as there are folders.
  for (let at = byId.get(id ?? ""); at && path.length < folders.length; at = byId.get(at.parentId ?? "")) {
    path.unshift(at);
  }
  return path;
}

/** "Sales / Europe". */
export const pathText = (folders: readonly Folder[], id: string | null | undefined): string =>
  pathOf(folders, id)
    .map(({ name }) => name)
    .join(" / ");

/** The folder and all below it: where it cannot be moved to. */
export function idsWithin(folders: readonly Folder[], id: string): Set<string> {
  return new Set(
    folders.filter((folder) => pathOf(folders, folder.id).some((one) => one.id === id)).map((one) => one.id),
  );
}
