import { ActionIcon, Button, Skeleton, Text, UnstyledButton } from "@mantine/core";
import {
  IconArchive,
  IconChevronRight,
  IconFolder,
  IconFolderPlus,
  IconList,
  IconStar,
} from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type DragEvent, type ReactNode, Suspense, useRef, useState } from "react";
import { trpc } from "../api.ts";
import { ErrorNotice } from "../errors/error-notice.tsx";
import { useMe } from "../session/me.ts";
import { returnFocus } from "../ui/keep-focus.ts";
import { lazyPart } from "../ui/lazy-part.tsx";
import { acceptsDrop, dragFolder, readDropped } from "./drag.ts";
import { FolderMenu } from "./folder-menu.tsx";
import { type Folder, type FolderNode, pathOf, toTree } from "./folder-tree.ts";
import { moveFolder, moveItems, tryAction } from "./item-actions.ts";
import { kindWords } from "./items.ts";
import classes from "./library.module.css";
import type { LibraryKind } from "./library-kinds.ts";
import { inFolder, inView, type ListSearch } from "./list-search.ts";

const FolderNameDialog = lazyPart(async () => (await import("./folder-dialogs.tsx")).FolderNameDialog);

interface FolderPanelProps {
  kind: LibraryKind;
  search: ListSearch;
  onChange: (changed: ListSearch) => void;
}

/** The views of a list and the tree of folders, beside it. Items and folders can be dropped on a folder. */
export function FolderPanel({ kind, search, onChange }: FolderPanelProps) {
  const folders = useQuery(trpc.folders.list.queryOptions());
  const { isMember } = useMe();
  const [isOpen, setOpen] = useState(false);
  const [isCreating, setCreating] = useState(false);
  const newFolder = useRef<HTMLButtonElement>(null);
  const current = folders.data?.find(({ id }) => id === search.folder);
  const { many } = kindWords[kind.kind];
  const isAll = search.folder === undefined && search.view === undefined;
  return (
    <nav aria-label="Folders" className={classes.panel}>
      <UnstyledButton className={classes.disclosure} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <IconFolder size={16} aria-hidden /> {current?.name ?? "Folders and views"}
      </UnstyledButton>
      <div className={classes.folders} data-open={isOpen}>
        <ul className={classes.tree}>
          <View kind={kind} search={search} target={null} isCurrent={isAll} icon={<IconList size={16} />}>
            All {many}
          </View>
          <View
            kind={kind}
            search={search}
            view="favourites"
            isCurrent={search.view === "favourites"}
            icon={<IconStar size={16} />}
          >
            Favourites
          </View>
          {kind.kind !== "automation" && (
            <View
              kind={kind}
              search={search}
              view="archived"
              isCurrent={search.view === "archived"}
              icon={<IconArchive size={16} />}
            >
              Archived
            </View>
          )}
        </ul>
        {folders.error && <ErrorNotice error={folders.error} onRetry={() => void folders.refetch()} />}
        {!folders.data && !folders.error && <Skeleton height={80} />}
        {folders.data && (
          <ul className={classes.tree}>
            {toTree(folders.data).map((node) => (
              <FolderEntry
                key={node.id}
                node={node}
                kind={kind}
                search={search}
                opened={new Set(pathOf(folders.data, search.folder).map(({ id }) => id))}
                onLeave={(parentId) => onChange(inFolder(search, parentId))}
              />
            ))}
          </ul>
        )}
        {folders.data?.length === 0 && (
          <Text size="xs" c="dimmed" px={6}>
            Folders hold queries, charts and automations together.
          </Text>
        )}
        {isMember && (
          <Button
            variant="subtle"
            size="compact-sm"
            leftSection={<IconFolderPlus size={16} />}
            ref={newFolder}
            onClick={() => setCreating(true)}
          >
            New folder
          </Button>
        )}
      </div>
      <Suspense fallback={null}>
        {isCreating && (
          <FolderNameDialog
            opened
            parent={current}
            onClose={() => {
              setCreating(false);
              returnFocus(newFolder.current);
            }}
            onCreated={({ id }) => onChange(inFolder(search, id))}
          />
        )}
      </Suspense>
    </nav>
  );
}

// Without it, the router marks a link as current also if the address has more than the link.
const onlyIfSame = { activeOptions: { exact: true } };

interface ViewProps {
  kind: LibraryKind;
  search: ListSearch;
  view?: ListSearch["view"];
  /** Where something that is dropped on it goes; absent: nothing can be. */
  target?: Folder | null;
  isCurrent: boolean;
  icon: ReactNode;
  children: ReactNode;
}

const View = ({ kind, search, view, target, isCurrent, icon, children }: ViewProps) => (
  <li>
    <DropTarget target={target}>
      <Link
        to={kind.to}
        search={inView(search, view)}
        className={classes.entry}
        {...onlyIfSame}
        {...(isCurrent && { "aria-current": "page" as const })}
      >
        {icon}
        <span className={classes.entryName}>{children}</span>
      </Link>
    </DropTarget>
  </li>
);

interface DropTargetProps {
  target: Folder | null | undefined;
  children: ReactNode;
}

/** Items and folders that are dropped on it are moved there. The dialogs do the same by keyboard. */
function DropTarget({ target, children }: DropTargetProps) {
  const [isOver, setOver] = useState(false);
  if (target === undefined) return <div className={classes.entryRow}>{children}</div>;
  const drop = async (event: DragEvent) => {
    setOver(false);
    const dropped = readDropped(event.dataTransfer);
    if (!dropped) return;
    event.preventDefault();
    await tryAction("Not moved", async () => {
      if (dropped.kind === "items") return moveItems(dropped.items, target);
      if (dropped.folder.id !== target?.id) await moveFolder(dropped.folder, target);
    });
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only for the mouse; "Move to…" does the same by keyboard.
    <div
      className={classes.entryRow}
      data-over={isOver}
      onDragOver={(event) => {
        if (!acceptsDrop(event.dataTransfer)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => void drop(event)}
    >
      {children}
    </div>
  );
}

interface FolderEntryProps {
  node: FolderNode;
  kind: LibraryKind;
  search: ListSearch;
  /** The chosen folder and those that contain it. */
  opened: ReadonlySet<string>;
  /** Called when the chosen folder is deleted, with its parent. */
  onLeave: (parentId: string | null) => void;
}

function FolderEntry({ node, kind, search, opened, onLeave }: FolderEntryProps) {
  const isCurrent = search.folder === node.id;
  const [isToggled, setToggled] = useState<boolean>();
  const isOpen = isToggled ?? opened.has(node.id);
  return (
    <li>
      <DropTarget target={node}>
        {node.children.length > 0 ? (
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label={`Folders in ${node.name}`}
            aria-expanded={isOpen}
            className={classes.chevron ?? ""}
            onClick={() => setToggled(!isOpen)}
          >
            <IconChevronRight size={14} />
          </ActionIcon>
        ) : (
          <span className={classes.noChevron} />
        )}
        <Link
          to={kind.to}
          search={inFolder(search, node.id)}
          className={classes.entry}
          {...onlyIfSame}
          draggable
          onDragStart={(event) => dragFolder(event.dataTransfer, node)}
          {...(isCurrent && { "aria-current": "page" as const })}
        >
          <IconFolder size={16} aria-hidden />
          <span className={classes.entryName}>{node.name}</span>
        </Link>
        <FolderMenu
          folder={node}
          onCreated={() => setToggled(true)}
          onDeleted={() => isCurrent && onLeave(node.parentId)}
        />
      </DropTarget>
      {isOpen && node.children.length > 0 && (
        <ul className={classes.tree}>
          {node.children.map((child) => (
            <FolderEntry
              key={child.id}
              node={child}
              kind={kind}
              search={search}
              opened={opened}
              onLeave={onLeave}
            />
          ))}
        </ul>
      )}
    </li>
  );
}
