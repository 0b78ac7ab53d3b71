import { Kbd, Modal, Text, Title } from "@mantine/core";
import { Fragment } from "react";
import { type ShortcutName, shortcutKeys, shortcutPlaces, shortcuts } from "./shortcuts.ts";
import classes from "./shortcuts-dialog.module.css";

interface ShortcutsDialogProps {
  opened: boolean;
  onClose: () => void;
}

const names = Object.keys(shortcuts).filter((name): name is ShortcutName => name in shortcuts);

/** All shortcuts, by the place where they work. */
export const ShortcutsDialog = ({ opened, onClose }: ShortcutsDialogProps) => (
  <Modal opened={opened} onClose={onClose} title="Keyboard shortcuts" size="lg">
    {shortcutPlaces.map((place) => (
      <section key={place} aria-label={place}>
        <Title order={3} size="h5" mt="sm" mb={4}>
          {place}
        </Title>
        <dl className={classes.list}>
          {names
            .filter((name) => shortcuts[name].place === place)
            .map((name) => (
              <Fragment key={name}>
                <dt>{shortcuts[name].label}</dt>
                <dd>
                  {shortcutKeys(name).map((key) => (
                    <Kbd key={key}>{key}</Kbd>
                  ))}
                </dd>
              </Fragment>
            ))}
        </dl>
      </section>
    ))}
    <Text size="sm" c="dimmed" mt="md">
      Arrow keys move through rows, and with Shift select them. Tab moves between fields and buttons.
    </Text>
  </Modal>
);
