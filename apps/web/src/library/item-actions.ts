import type { Outputs } from "@querybell/client";
import { api } from "../api.ts";
import { showFailure } from "../errors/error-notice.tsx";
import { showUndo } from "../ui/undo.tsx";
import {
  describeItems,
  type NamedItem,
  refreshLibrary,
  type TitledItem,
  toDocuments,
  toNamed,
} from "./items.ts";

type UndoableDeletion = NonNullable<Outputs["library"]["undoableDeletion"]>;

const isOrAre = (items: readonly unknown[]) => (items.length === 1 ? "is" : "are");

/** Moves items and offers to move them back. */
export async function moveItems(
  items: readonly NamedItem[],
  folder: { id: string; name: string } | null,
): Promise<void> {
  const what = describeItems(items);
  await api.library.move.mutate({ items: toNamed(items), folderId: folder?.id ?? null });
  await refreshLibrary();
  showUndo({
    message: `${what} ${isOrAre(items)} ${folder ? `in “${folder.name}” now` : "in no folder now"}.`,
    undone: `${what} ${isOrAre(items)} back in place.`,
    undo: async () => {
      for (const [folderId, group] of Map.groupBy(items, (item) => item.folderId)) {
        await api.library.move.mutate({ items: toNamed(group), folderId });
      }
      await refreshLibrary();
    },
  });
}

/** Moves a folder with all that is in it, and offers to move it back. */
export async function moveFolder(
  folder: { id: string; name: string; parentId: string | null },
  target: { id: string; name: string } | null,
): Promise<void> {
  const { id, name, parentId } = folder;
  if (parentId === (target?.id ?? null)) return;
  const move = async (to: string | null) => {
    await api.folders.update.mutate({ id, parentId: to });
    await refreshLibrary();
  };
  await move(target?.id ?? null);
  showUndo({
    message: `The folder “${name}” is ${target ? `in “${target.name}”` : "at the top level"} now.`,
    undone: `The folder “${name}” is back in place.`,
    undo: () => move(parentId),
  });
}

/** Archives items, or brings them back, and offers to undo it. */
export async function archiveItems(items: readonly NamedItem[], isArchived: boolean): Promise<void> {
  const what = describeItems(items);
  const set = async (isNow: boolean) => {
    await api.library.archive.mutate({ items: toDocuments(items), isArchived: isNow });
    await refreshLibrary();
  };
  await set(isArchived);
  const [archived, back] = [
    `${what} ${isOrAre(items)} archived.`,
    `${what} ${isOrAre(items)} back in the lists.`,
  ];
  showUndo({
    message: isArchived ? `${archived} Links keep working.` : back,
    undone: isArchived ? back : archived,
    undo: () => set(!isArchived),
  });
}

/** Duplicates items. Returns the copies. */
export async function duplicateItems(items: readonly NamedItem[]) {
  const copies = await api.library.duplicate.mutate({ items: toDocuments(items) });
  await refreshLibrary();
  return copies;
}

/** Deletes items and offers to undo it. */
export async function deleteItems(items: readonly NamedItem[]): Promise<void> {
  const { id } = await api.library.delete.mutate({ items: toNamed(items) });
  showUndo(undoOfDeletion(id, items));
}

/** Offers to undo a deletion that was made before the page was loaded. */
export function offerUndoDelete({ id, items, secondsLeft }: UndoableDeletion): void {
  showUndo({ ...undoOfDeletion(id, items), earlier: { secondsLeft } });
}

function undoOfDeletion(id: string, items: readonly TitledItem[]) {
  const what = describeItems(items);
  return {
    message: `${what} ${isOrAre(items)} deleted.`,
    undone: `${what} ${isOrAre(items)} back.`,
    undo: async () => {
      await api.library.undoDelete.mutate({ id });
      await refreshLibrary();
    },
  };
}

/** Runs an action that has no dialog: an error is shown as a notification. */
export async function tryAction(title: string, action: () => Promise<unknown>): Promise<void> {
  try {
    await action();
  } catch (error) {
    showFailure(title, error);
  }
}
