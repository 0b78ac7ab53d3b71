import { Button, Group, Modal, Radio, Skeleton, Stack, Text, TextInput } from "@mantine/core";
import { IconFolderPlus, IconSearch } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, trpc } from "../api.ts";
import { ErrorNotice } from "../errors/error-notice.tsx";
import { toFailure } from "../errors/failure.ts";
import { isEnter } from "../shortcuts/is-enter.ts";
import { type Folder, idsWithin, listTree } from "./folder-tree.ts";
import { moveFolder, moveItems } from "./item-actions.ts";
import { describeItems, type NamedItem, refreshLibrary } from "./items.ts";
import classes from "./library.module.css";

interface MoveDialogProps {
  items: readonly NamedItem[];
  opened: boolean;
  onClose: () => void;
}

/** Moves items into a folder that is searched, chosen with the arrow keys, or made here. */
export function MoveDialog({ items, opened, onClose }: MoveDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={`Move ${describeItems(items)}`}>
      <FolderPicker
        current={items[0]?.folderId ?? null}
        nowhere="No folder"
        onClose={onClose}
        onMove={(folder) => moveItems(items, folder)}
      />
    </Modal>
  );
}

interface MoveFolderDialogProps {
  folder: Folder;
  opened: boolean;
  onClose: () => void;
}

/** Moves a folder with all that is in it. */
export function MoveFolderDialog({ folder, opened, onClose }: MoveFolderDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={`Move the folder “${folder.name}”`}>
      <FolderPicker
        current={folder.parentId}
        within={folder.id}
        nowhere="Top level"
        onClose={onClose}
        onMove={(target) => moveFolder(folder, target)}
      />
    </Modal>
  );
}

interface FolderPickerProps {
  current: string | null;
  /** A folder that is moved: it cannot be put into itself. */
  within?: string;
  /** The choice without a folder. */
  nowhere: string;
  onClose: () => void;
  onMove: (folder: Folder | null) => Promise<unknown>;
}

const none = "none";

function FolderPicker({ current, within, nowhere, onClose, onMove }: FolderPickerProps) {
  const folders = useQuery(trpc.folders.list.queryOptions());
  const [chosen, setChosen] = useState(current ?? none);
  const [words, setWords] = useState("");
  const move = useMutation({
    mutationFn: () => onMove(folders.data?.find(({ id }) => id === chosen) ?? null),
    onSuccess: onClose,
  });
  if (folders.error) return <ErrorNotice error={folders.error} onRetry={() => void folders.refetch()} />;
  if (!folders.data) return <Skeleton height={240} />;
  const all = folders.data;
  const refused = within === undefined ? new Set<string>() : idsWithin(all, within);
  const wanted = words.trim().toLowerCase();
  const allowed = all.filter(({ id }) => !refused.has(id));
  const shown = listTree(allowed, wanted);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!move.isPending) move.mutate();
      }}
    >
      <TextInput
        label="Find a folder"
        leftSection={<IconSearch size={16} />}
        value={words}
        onChange={(event) => setWords(event.currentTarget.value)}
        data-autofocus
        mb="sm"
      />
      <Radio.Group label="Folder" value={chosen} onChange={setChosen}>
        <Stack gap={6} mt={6} className={classes.choices ?? ""}>
          {nowhere.toLowerCase().includes(wanted) && <Radio value={none} label={nowhere} />}
          {shown.map(({ id, name, path, level }) => (
            <Radio
              key={id}
              value={id}
              label={name}
              aria-label={path}
              className={classes.level ?? ""}
              wrapperProps={{ "data-level": level }}
            />
          ))}
          {shown.length === 0 && wanted !== "" && (
            <Text size="sm" c="dimmed">
              No folder has this in its name.
            </Text>
          )}
        </Stack>
      </Radio.Group>
      <NewFolder parent={all.find(({ id }) => id === chosen)} onCreated={({ id }) => setChosen(id)} />
      {move.error && <ErrorNotice error={move.error} />}
      <Group justify="flex-end" mt="lg" gap="xs">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" aria-disabled={move.isPending}>
          Move here
        </Button>
      </Group>
    </form>
  );
}

interface NewFolderProps {
  /** The folder that will contain it; undefined: the top level. */
  parent: Folder | undefined;
  onCreated: (folder: Folder) => void;
}

/** A field for the name of a new folder. */
function NewFolder({ parent, onCreated }: NewFolderProps) {
  const [name, setName] = useState<string>();
  const create = useMutation({
    mutationFn: async () => {
      const folder = await api.folders.create.mutate({ name: name ?? "", parentId: parent?.id ?? null });
      await refreshLibrary();
      return folder;
    },
    onSuccess: (folder) => {
      setName(undefined);
      onCreated(folder);
    },
  });
  if (name === undefined) {
    return (
      <Button
        mt="sm"
        variant="subtle"
        size="compact-sm"
        leftSection={<IconFolderPlus size={16} />}
        onClick={() => setName("")}
      >
        New folder
      </Button>
    );
  }
  return (
    <Group mt="sm" gap="xs" align="flex-end" wrap="nowrap">
      <TextInput
        label={parent ? `New folder in “${parent.name}”` : "New folder at the top"}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (!isEnter(event)) return;
          // Not the form around it.
          event.preventDefault();
          create.mutate();
        }}
        error={create.error && failureOf(create.error)}
        className={classes.grow ?? ""}
        autoFocus
      />
      <Button variant="default" onClick={() => create.mutate()}>
        Create
      </Button>
    </Group>
  );
}

const failureOf = (error: unknown): string => {
  const { message, fields } = toFailure(error);
  return fields.name ?? message;
};
