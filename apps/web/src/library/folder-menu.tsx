import { ActionIcon, Menu } from "@mantine/core";
import { IconDots } from "@tabler/icons-react";
import { Suspense, useRef, useState } from "react";
import { useMe } from "../session/me.ts";
import { returnFocus } from "../ui/keep-focus.ts";
import { lazyPart } from "../ui/lazy-part.tsx";
import { FavouriteButton } from "./favourite-button.tsx";
import type { Folder } from "./folder-tree.ts";

const FolderNameDialog = lazyPart(async () => (await import("./folder-dialogs.tsx")).FolderNameDialog);
const DeleteFolderDialog = lazyPart(async () => (await import("./folder-dialogs.tsx")).DeleteFolderDialog);
const MoveFolderDialog = lazyPart(async () => (await import("./move-dialog.tsx")).MoveFolderDialog);

const FolderAccessDialog = lazyPart(
  async () => (await import("../access/folder-access-dialog.tsx")).FolderAccessDialog,
);

type FolderDialog = "create" | "rename" | "move" | "delete" | "access";

interface FolderMenuProps {
  folder: Folder;
  /** Called when a folder was made in it. */
  onCreated: () => void;
  onDeleted: () => unknown;
}

/** What can be done with a folder: its star, and a menu with its dialogs. */
export function FolderMenu({ folder, onCreated, onDeleted }: FolderMenuProps) {
  const [dialog, setDialog] = useState<FolderDialog>();
  const { isAdmin, isMember } = useMe();
  const mayEdit = isMember && folder.mayEdit;
  const target = useRef<HTMLButtonElement>(null);
  const close = () => {
    setDialog(undefined);
    returnFocus(target.current);
  };
  const opened = { folder, opened: true, onClose: close };
  return (
    <>
      <FavouriteButton item={{ ...folder, kind: "folder", title: folder.name }} />
      {mayEdit && (
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon ref={target} variant="subtle" color="gray" aria-label={`More: folder ${folder.name}`}>
              <IconDots size={16} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => setDialog("create")}>New folder in it</Menu.Item>
            <Menu.Item onClick={() => setDialog("rename")}>Rename</Menu.Item>
            <Menu.Item onClick={() => setDialog("move")}>Move to…</Menu.Item>
            {isAdmin && <Menu.Item onClick={() => setDialog("access")}>Access…</Menu.Item>}
            <Menu.Item color="var(--qb-bad)" onClick={() => setDialog("delete")}>
              Delete
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
      <Suspense fallback={null}>
        {dialog === "create" && (
          <FolderNameDialog opened parent={folder} onClose={close} onCreated={onCreated} />
        )}
        {dialog === "rename" && <FolderNameDialog {...opened} />}
        {dialog === "move" && <MoveFolderDialog {...opened} />}
        {dialog === "access" && <FolderAccessDialog folder={folder} onClose={close} />}
        {dialog === "delete" && <DeleteFolderDialog {...opened} onDeleted={onDeleted} />}
      </Suspense>
    </>
  );
}
