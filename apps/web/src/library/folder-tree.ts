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
