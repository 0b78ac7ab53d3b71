import { Badge, Button, Group } from "@mantine/core";
import type { Statement } from "./statement.ts";
import { useIsUnsaved } from "./use-statement.ts";

interface SaveStateProps {
  isNew: boolean;
  statement: Statement;
  onDiscard: () => void;
}

/** Whether what is in the editor is saved. */
export function SaveState({ isNew, statement, onDiscard }: SaveStateProps) {
  const isUnsaved = useIsUnsaved(statement);
  if (isNew && !isUnsaved) return null;
  return (
    <Group gap={4}>
      <Badge variant={isUnsaved ? "filled" : "default"} tt="none" fw={500} role="status">
        {isUnsaved ? "Unsaved" : "Saved"}
      </Badge>
      {isUnsaved && !isNew && (
        <Button size="compact-xs" variant="subtle" onClick={onDiscard}>
          Discard changes
        </Button>
      )}
    </Group>
  );
}
