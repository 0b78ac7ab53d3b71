import { ActionIcon, Button, Group, Menu, TextInput } from "@mantine/core";
import { IconDots, IconPlus } from "@tabler/icons-react";
import { type FormEvent, useState } from "react";
import { Dialog } from "../../../ui/dialog.tsx";
import classes from "../dashboard.module.css";
import type { Tab } from "../dashboard.ts";

interface EditTabsProps {
  tabs: readonly Tab[];
  current: string;
  onSelect: (id: string) => void;
  onChange: (tabs: Tab[]) => void;
}

/** The tabs, to add, rename, move and remove. */
export function EditTabs({ tabs, current, onSelect, onChange }: EditTabsProps) {
  const [isNaming, setNaming] = useState(false);
  const at = tabs.findIndex(({ id }) => id === current);
  const tab = tabs[at];
  const add = () => {
    const id = crypto.randomUUID().slice(0, 8);
    onChange([...tabs, { id, title: `Tab ${tabs.length + 1}`, tiles: [] }]);
    onSelect(id);
  };
  const move = (by: number) => {
    if (!tab) return;
    onChange(tabs.filter(({ id }) => id !== current).toSpliced(at + by, 0, tab));
  };
  const remove = () => {
    const left = tabs.filter(({ id }) => id !== current);
    onChange(left);
    onSelect(left[Math.max(0, at - 1)]?.id ?? "");
  };
  return (
    <>
      <Group gap={4} mb="md" wrap="nowrap" className={classes.tabs ?? ""} role="group" aria-label="Tabs">
        {tabs.map(({ id, title }) => (
          <Button
            key={id}
            size="compact-sm"
            variant={id === current ? "light" : "subtle"}
            color="gray"
            c="var(--mantine-color-text)"
            aria-pressed={id === current}
            onClick={() => onSelect(id)}
          >
            {title}
          </Button>
        ))}
        <Menu>
          <Menu.Target>
            <ActionIcon variant="subtle" color="gray" aria-label={`Change the tab ${tab?.title ?? ""}`}>
              <IconDots size={16} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => setNaming(true)}>Rename</Menu.Item>
            {at > 0 && <Menu.Item onClick={() => move(-1)}>Move left</Menu.Item>}
            {at < tabs.length - 1 && <Menu.Item onClick={() => move(1)}>Move right</Menu.Item>}
            {tabs.length > 1 && (
              <Menu.Item color="var(--qb-bad)" onClick={remove}>
                Remove with its tiles
              </Menu.Item>
            )}
          </Menu.Dropdown>
        </Menu>
        <Button size="compact-sm" variant="subtle" leftSection={<IconPlus size={14} />} onClick={add}>
          Add a tab
        </Button>
      </Group>
      {isNaming && tab && (
        <TabTitleDialog
          title={tab.title}
          onClose={() => setNaming(false)}
          onSave={(title) => onChange(tabs.map((one) => (one.id === current ? { ...one, title } : one)))}
        />
      )}
    </>
  );
}

interface TabTitleDialogProps {
  title: string;
  onClose: () => void;
  onSave: (title: string) => void;
}

function TabTitleDialog({ title, onClose, onSave }: TabTitleDialogProps) {
  const [typed, setTyped] = useState(title);
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (typed.trim() === "") return;
    onSave(typed.trim());
    onClose();
  };
  return (
    <Dialog onClose={onClose} title="Rename the tab">
      <form onSubmit={save}>
        <TextInput
          label="Title"
          value={typed}
          maxLength={100}
          data-autofocus
          error={typed.trim() === "" && "Give it a title."}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <Group justify="flex-end" mt="lg">
          <Button type="submit">Rename</Button>
        </Group>
      </form>
    </Dialog>
  );
}
