import { Button, Checkbox, Group, Text } from "@mantine/core";
import {
  IconArchive,
  IconArchiveOff,
  IconCopy,
  IconFolderSymlink,
  IconTrash,
  IconX,
} from "@tabler/icons-react";
import { type MouseEvent, useRef, useState } from "react";
import { pluralize } from "../format/pluralize.ts";
import { useMe } from "../session/me.ts";
import { returnFocus } from "../ui/keep-focus.ts";
import { archiveItems, duplicateItems, tryAction } from "./item-actions.ts";
import { ItemDialogs } from "./item-menu.tsx";
import type { Item } from "./items.ts";
import classes from "./library.module.css";

export interface Selection {
  /** The chosen items that the list still shows. */
  items: Item[];
  has: (item: Item) => boolean;
  toggle: (item: Item) => void;
  /** The items that are dragged with this one: the chosen ones, if it is one of them. */
  draggedWith: (item: Item) => Item[];
  set: (items: readonly Item[]) => void;
}

export function useSelection(shown: readonly Item[]): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const items = shown.filter(({ id }) => ids.has(id));
  const has = ({ id }: Item) => ids.has(id);
  return {
    items,
    has,
    toggle: ({ id }) =>
      setIds(ids.has(id) ? new Set([...ids].filter((one) => one !== id)) : new Set([...ids, id])),
    draggedWith: (item) => (has(item) ? items : [item]),
    set: (chosen) => setIds(new Set(chosen.map(({ id }) => id))),
  };
}

interface SelectItemProps {
  item: Item;
  selection: Selection;
}

/** Not for viewers, who can do nothing with what they select. */
export function SelectItem({ item, selection }: SelectItemProps) {
  const { isMember } = useMe();
  if (!isMember) return null;
  return (
    <Checkbox
      size="xs"
      aria-label={`Select ${item.title}`}
      checked={selection.has(item)}
      onChange={() => selection.toggle(item)}
    />
  );
}

/** The most that one call takes. */
const maxItems = 100;

interface SelectionBarProps {
  selection: Selection;
  shown: readonly Item[];
}

/** What can be done with the chosen items. Always there, so that the list does not jump. */
export function SelectionBar({ selection, shown }: SelectionBarProps) {
  const [dialog, setDialog] = useState<"move" | "delete">();
  const opener = useRef<HTMLButtonElement>(null);
  const open = (chosen: "move" | "delete") => (event: MouseEvent<HTMLButtonElement>) => {
    opener.current = event.currentTarget;
    setDialog(chosen);
  };
  const close = () => {
    setDialog(undefined);
    returnFocus(opener.current);
  };
  const { items } = selection;
  const clear = () => selection.set([]);
  const isArchived = items.length > 0 && items.every((item) => "isArchived" in item && item.isArchived);
  const hasDocuments = items.some(({ kind }) => kind !== "automation");
  const act = (title: string, action: () => Promise<unknown>) => async () => {
    await tryAction(title, action);
    clear();
  };
  return (
    <Group gap="xs" className={classes.selection ?? ""} role="group" aria-label="Selected">
      <Checkbox
        size="xs"
        label={items.length === 0 ? "Select all shown" : `${pluralize(items.length, "item")} selected`}
        checked={items.length > 0 && items.length === Math.min(shown.length, maxItems)}
        indeterminate={items.length > 0 && items.length < shown.length}
        onChange={() => selection.set(items.length > 0 ? [] : shown.slice(0, maxItems))}
      />
      {items.length > maxItems && <Text size="sm">At most {maxItems} at once.</Text>}
      {items.length > 0 && items.length <= maxItems && (
        <>
          <Button {...small} leftSection={<IconFolderSymlink size={14} />} onClick={open("move")}>
            Move to…
          </Button>
          {hasDocuments && (
            <>
              <Button
                {...small}
                leftSection={<IconCopy size={14} />}
                onClick={() => void act("Not duplicated", () => duplicateItems(items))()}
              >
                Duplicate
              </Button>
              <Button
                {...small}
                leftSection={isArchived ? <IconArchiveOff size={14} /> : <IconArchive size={14} />}
                onClick={() => void act("Not changed", () => archiveItems(items, !isArchived))()}
              >
                {isArchived ? "Bring back" : "Archive"}
              </Button>
            </>
          )}
          <Button {...small} leftSection={<IconTrash size={14} />} onClick={open("delete")}>
            Delete
          </Button>
          <Button size="compact-sm" variant="subtle" leftSection={<IconX size={14} />} onClick={clear}>
            Clear the selection
          </Button>
        </>
      )}
      <ItemDialogs items={items} opened={dialog} onClose={close} onDeleted={clear} />
    </Group>
  );
}

const small = { size: "compact-sm", variant: "default" } as const;
