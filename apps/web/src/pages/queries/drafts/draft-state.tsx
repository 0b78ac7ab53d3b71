import { Alert, Badge, Button, Group, Text } from "@mantine/core";
import { IconDevices } from "@tabler/icons-react";
import { useSyncExternalStore } from "react";
import type { Statement } from "../statement.ts";
import { useIsUnsaved } from "../use-statement.ts";
import type { DraftSync } from "./draft-sync.ts";

interface DraftStateProps {
  isNew: boolean;
  statement: Statement;
  sync: DraftSync;
  onDiscard: () => void;
}

/** Whether what is in the editor is saved and, if not, who sees it and where it is kept. */
export function DraftState({ isNew, statement, sync, onDiscard }: DraftStateProps) {
  const isUnsaved = useIsUnsaved(statement);
  if (!isUnsaved) {
    if (isNew) return null;
    return (
      <Badge variant="default" tt="none" fw={500} role="status">
        Saved
      </Badge>
    );
  }
  return (
    <Group gap={6}>
      <Badge variant="filled" tt="none" fw={500} role="status">
        {isNew ? "Draft: only you see this" : "Changed, not saved: only you see this"}
      </Badge>
      <StoredState sync={sync} />
      <Button size="compact-xs" variant="subtle" onClick={onDiscard}>
        {isNew ? "Delete the draft" : "Discard changes"}
      </Button>
    </Group>
  );
}

/** Shown only while the server does not have the text: that it has is the rule. */
function StoredState({ sync }: { sync: DraftSync }) {
  const state = useSyncExternalStore(sync.listen, sync.getState);
  if (state.kind !== "failed") return null;
  return (
    <Text size="xs" c="var(--qb-bad)" role="status">
      {state.isUnanswered
        ? "Kept in this browser until the server answers."
        : `Kept in this browser only. ${state.message}`}
    </Text>
  );
}

interface DraftConflictProps {
  statement: Statement;
  sync: DraftSync;
  /** Called when a text is chosen: the statement has it, and the chosen button is gone. */
  onChosen: () => void;
}

/** Asks which text to keep when the draft was changed in another window. */
export function DraftConflict({ statement, sync, onChosen }: DraftConflictProps) {
  const state = useSyncExternalStore(sync.listen, sync.getState);
  if (state.kind !== "conflict") return null;
  const takeTheirs = () => {
    state.takeTheirs();
    onChosen();
  };
  const keepMine = () => {
    void state.keepMine();
    onChosen();
  };
  return (
    <Alert
      role="alert"
      color="amber"
      variant="light"
      icon={<IconDevices />}
      title="Your draft was changed in another window or on another device"
    >
      <Text size="sm" mb="xs">
        Nothing is stored until you choose. {describeOther(state.theirs.sql, statement.sql)}
      </Text>
      <Group gap="xs">
        <Button size="xs" variant="default" onClick={takeTheirs}>
          Use the other text
        </Button>
        <Button size="xs" variant="default" onClick={keepMine}>
          Keep the text of this page
        </Button>
      </Group>
    </Alert>
  );
}

/** The first line in which the other text differs. */
function describeOther(theirs: string, mine: string): string {
  const [others, own] = [theirs.trimEnd().split("\n"), mine.trimEnd().split("\n")];
  const at = others.findIndex((line, index) => line !== own[index]);
  if (at >= 0) return `Line ${at + 1} of the other text is: “${others[at]?.slice(0, 120)}”.`;
  return others.length < own.length
    ? `The other text ends after line ${others.length}.`
    : "The texts are the same; the parameters or the database differ.";
}
