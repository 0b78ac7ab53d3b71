import type { Folder } from "./folder-tree.ts";
import type { NamedItem } from "./items.ts";

type DraggedFolder = Pick<Folder, "id" | "name" | "parentId">;

const itemsType = "application/x-querybell-items";
const folderType = "application/x-querybell-folder";

/** Starts to drag items: the chosen ones if this is one of them. */
export function dragItems(transfer: DataTransfer, items: readonly NamedItem[]): void {
  transfer.effectAllowed = "move";
  const named = items.map(({ kind, id, title, folderId }) => ({ kind, id, title, folderId }));
  transfer.setData(itemsType, JSON.stringify(named));
}

export function dragFolder(transfer: DataTransfer, { id, name, parentId }: Folder): void {
  transfer.effectAllowed = "move";
  const dragged: DraggedFolder = { id, name, parentId };
  transfer.setData(folderType, JSON.stringify(dragged));
}

/** Whether something of this app is dragged. */
export const acceptsDrop = ({ types }: DataTransfer): boolean =>
  types.includes(itemsType) || types.includes(folderType);

/** What was dropped. Undefined if it is nothing of this app. */
export function readDropped(
  transfer: DataTransfer,
): { kind: "items"; items: NamedItem[] } | { kind: "folder"; folder: DraggedFolder } | undefined {
  const folder = transfer.getData(folderType);
  if (folder !== "") return { kind: "folder", folder: JSON.parse(folder) as DraggedFolder };
  const text = transfer.getData(itemsType);
  return text === "" ? undefined : { kind: "items", items: JSON.parse(text) as NamedItem[] };
}
