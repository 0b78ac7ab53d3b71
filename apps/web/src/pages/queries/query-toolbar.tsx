import { Button, Group, Select, Tooltip } from "@mantine/core";
import type { Outputs } from "@querybell/client";
import { IconDeviceFloppy, IconPlayerPlay, IconSparkles } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { shortcutText } from "../../shortcuts/shortcuts.ts";
import classes from "./query-page.module.css";

export type Database = Outputs["databases"]["list"][number];

interface QueryToolbarProps {
  databases: readonly Database[];
  /** Undefined when it was deleted. */
  database: Database | undefined;
  onDatabase: (id: string) => void;
  onFormat: () => void;
  onSave: () => void;
  onRun: () => void;
  isSaving: boolean;
  isRunning: boolean;
  /** A button that opens the help. */
  help: ReactNode;
}

/** Chooses the database, and saves, formats and runs the statement. */
export function QueryToolbar({ databases, database, ...rest }: QueryToolbarProps) {
  return (
    <Group gap="xs" className={classes.toolbar ?? ""}>
      <Select
        aria-label="Database"
        className={classes.database ?? ""}
        mr="auto"
        allowDeselect={false}
        data={databases.map(({ id, name }) => ({ value: id, label: name }))}
        value={database?.id ?? null}
        placeholder="Deleted database"
        onChange={(value) => value !== null && rest.onDatabase(value)}
      />
      {rest.help}
      <Button variant="default" leftSection={<IconSparkles size={16} />} onClick={rest.onFormat}>
        Format
      </Button>
      <Tooltip label={shortcutText("save")}>
        <Button
          variant="default"
          leftSection={<IconDeviceFloppy size={16} />}
          loading={rest.isSaving}
          onClick={rest.onSave}
        >
          Save
        </Button>
      </Tooltip>
      <Tooltip label={shortcutText("run")}>
        <Button leftSection={<IconPlayerPlay size={16} />} onClick={rest.onRun} data-running={rest.isRunning}>
          Run
        </Button>
      </Tooltip>
    </Group>
  );
}
