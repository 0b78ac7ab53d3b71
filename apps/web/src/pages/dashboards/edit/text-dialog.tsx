import { Button, Group, Text, Textarea } from "@mantine/core";
import { useState } from "react";
import { Dialog } from "../../../ui/dialog.tsx";

interface TextDialogProps {
  text: string;
  onClose: () => void;
  onSave: (text: string) => void;
}

/** Edits the text of a tile. */
export function TextDialog({ text, onClose, onSave }: TextDialogProps) {
  const [typed, setTyped] = useState(text);
  return (
    <Dialog onClose={onClose} title={text === "" ? "Add a text" : "Edit the text"} size="lg">
      <Textarea
        label="Text"
        description="Markdown: # heading, **bold**, *italic*, - list, [link](https://…)"
        value={typed}
        maxLength={10_000}
        autosize
        minRows={6}
        maxRows={20}
        data-autofocus
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <Group justify="space-between" mt="lg" gap="xs">
        <Text size="xs" c="dimmed">
          HTML and pictures are not shown.
        </Text>
        <Group gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            onClick={() => {
              onSave(typed);
              onClose();
            }}
          >
            {text === "" ? "Add the text" : "Change the text"}
          </Button>
        </Group>
      </Group>
    </Dialog>
  );
}
