import { Badge, Button, Group } from "@mantine/core";

interface SaveStateProps {
  isNew: boolean;
  isUnsaved: boolean;
  onDiscard: () => void;
}

/** Whether what is in the editor is saved. */
export function SaveState({ isNew, isUnsaved, onDiscard }: SaveStateProps) {
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
