import { Badge, Group } from "@mantine/core";
import { IconFolder } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { trpc } from "../api.ts";
import { AnchorTo } from "../ui/links.tsx";
import { FavouriteButton } from "./favourite-button.tsx";
import { pathText } from "./folder-tree.ts";
import { ItemMenu } from "./item-menu.tsx";
import type { ItemKind } from "./items.ts";
import classes from "./library.module.css";
import { libraryKinds } from "./library-kinds.ts";

interface PageActionsProps {
  kind: ItemKind;
  id: string;
  title: string;
  /** Entries of the page itself in the menu. */
  children?: ReactNode;
}

/** The star and the menu on the page of an item. The rest of the page does not wait for them. */
export function PageActions({ kind, id, title, children }: PageActionsProps) {
  const router = useRouter();
  const { data } = useQuery(trpc.library.get.queryOptions({ kind, id }));
  const { isFavourite = false, folderId = null } = data ?? {};
  const isArchived = data !== undefined && "isArchived" in data && data.isArchived;
  return (
    <Group gap={4} wrap="nowrap">
      {isArchived && (
        <Badge variant="default" tt="none" fw={500}>
          Archived
        </Badge>
      )}
      <FavouriteButton item={{ kind, id, title, isFavourite }} />
      <ItemMenu
        item={{ kind, id, title, folderId, isArchived }}
        size={36}
        label="More"
        onDeleted={() => router.navigate({ to: libraryKinds[kind].to })}
      >
        {children}
      </ItemMenu>
      {folderId !== null && <FolderLink kind={kind} folderId={folderId} />}
    </Group>
  );
}

/** The folder that the item is in. */
function FolderLink({ kind, folderId }: { kind: ItemKind; folderId: string }) {
  const { data: folders } = useQuery(trpc.folders.list.queryOptions());
  const path = folders && pathText(folders, folderId);
  if (path === undefined || path === "") return null;
  const name = folders?.find(({ id }) => id === folderId)?.name;
  return (
    <AnchorTo
      to={libraryKinds[kind].to}
      search={{ folder: folderId }}
      aria-label={`Folder: ${path}`}
      title={path}
      underline="hover"
      className={classes.folderLink ?? ""}
    >
      <IconFolder size={16} aria-hidden />
      <span className={classes.entryName}>{name}</span>
    </AnchorTo>
  );
}
