import { ActionIcon, Menu } from "@mantine/core";
import {
  IconArchive,
  IconArchiveOff,
  IconCopy,
  IconDots,
  IconFolderSymlink,
  IconTrash,
  IconWorld,
} from "@tabler/icons-react";
import { useRouter } from "@tanstack/react-router";
import { type ReactNode, Suspense, useRef, useState } from "react";
import { useMe } from "../session/me.ts";
import { returnFocus } from "../ui/keep-focus.ts";
import { lazyPart } from "../ui/lazy-part.tsx";
import { LazyMenu } from "../ui/until-used.tsx";
import { archiveItems, duplicateItems, tryAction } from "./item-actions.ts";
import { itemHref, type NamedItem } from "./items.ts";

const MoveDialog = lazyPart(async () => (await import("./move-dialog.tsx")).MoveDialog);
const PublicLinkDialog = lazyPart(
  async () => (await import("../public-links/public-link-dialog.tsx")).PublicLinkDialog,
);
const DeleteDialog = lazyPart(async () => (await import("./delete-dialog.tsx")).DeleteDialog);

type Dialog = "move" | "delete" | "publish";

interface ItemDialogsProps {
  items: readonly NamedItem[];
  opened: Dialog | undefined;
  onClose: () => void;
  onDeleted?: (() => unknown) | undefined;
}

/** The dialogs of items. Each is loaded when it is first opened. */
export function ItemDialogs({ items, opened, onClose, onDeleted }: ItemDialogsProps) {
  // Stays mounted, so that the dialog can close in its own time.
  const [shown, setShown] = useState<Dialog>();
  if (opened !== undefined && opened !== shown) setShown(opened);
  const [first] = items;
  return (
    <Suspense fallback={null}>
      {shown === "move" && <MoveDialog items={items} opened={opened === "move"} onClose={onClose} />}
      {shown === "publish" && first && isPublishable(first) && (
        <PublicLinkDialog item={first} opened={opened === "publish"} onClose={onClose} />
      )}
      {shown === "delete" && (
        <DeleteDialog items={items} opened={opened === "delete"} onClose={onClose} onDeleted={onDeleted} />
      )}
    </Suspense>
  );
}

const isPublishable = (item: NamedItem): item is NamedItem & { kind: "reference" | "dashboard" } =>
  item.kind === "reference" || item.kind === "dashboard";

interface ItemMenuProps {
  item: NamedItem & { isArchived?: boolean };
  /** Entries of the page itself, before the others. */
  children?: ReactNode;
  /** The size of the button in pixels. */
  size?: number;
  /** "More" on the page of an item; in a list the label names the item. */
  label?: string;
  onDeleted?: () => unknown;
}

/** What can be done with an item: publish, move, duplicate, archive, delete. */
export function ItemMenu({ item, children, size = 30, label, onDeleted }: ItemMenuProps) {
  const router = useRouter();
  const [dialog, setDialog] = useState<Dialog>();
  const target = useRef<HTMLButtonElement>(null);
  const { isMember } = useMe();
  const { isArchived = false } = item;
  const duplicate = async () => {
    const [copy] = await duplicateItems([item]);
    if (copy) await router.navigate({ href: itemHref(copy) });
  };
  // Viewers change nothing.
  if (!isMember) return null;
  return (
    <>
      <LazyMenu
        position="bottom-end"
        target={target}
        button={(props) => (
          <ActionIcon variant="default" size={size} aria-label={label ?? `More: ${item.title}`} {...props}>
            <IconDots size={16} />
          </ActionIcon>
        )}
      >
        {children}
        {isPublishable(item) && (
          <Menu.Item leftSection={<IconWorld size={14} />} onClick={() => setDialog("publish")}>
            Public link…
          </Menu.Item>
        )}
        <Menu.Item leftSection={<IconFolderSymlink size={14} />} onClick={() => setDialog("move")}>
          Move to…
        </Menu.Item>
        {item.kind !== "automation" && (
          <>
            <Menu.Item
              leftSection={<IconCopy size={14} />}
              onClick={() => void tryAction("Not duplicated", duplicate)}
            >
              Duplicate
            </Menu.Item>
            <Menu.Item
              leftSection={isArchived ? <IconArchiveOff size={14} /> : <IconArchive size={14} />}
              onClick={() => void tryAction("Not changed", () => archiveItems([item], !isArchived))}
            >
              {isArchived ? "Bring back from the archive" : "Archive"}
            </Menu.Item>
          </>
        )}
        <Menu.Item
          color="var(--qb-bad)"
          leftSection={<IconTrash size={14} />}
          onClick={() => setDialog("delete")}
        >
          Delete
        </Menu.Item>
      </LazyMenu>
      <ItemDialogs
        items={[item]}
        opened={dialog}
        onClose={() => {
          setDialog(undefined);
          returnFocus(target.current);
        }}
        onDeleted={onDeleted}
      />
    </>
  );
}
