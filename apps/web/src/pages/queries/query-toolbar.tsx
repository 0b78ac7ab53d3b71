import { Button, Group, Select, Tooltip } from "@mantine/core";
import type { Outputs } from "@querybell/client";
import { IconDeviceFloppy, IconPlayerPlay, IconSparkles } from "@tabler/icons-react";
import { shortcutText } from "../../shortcuts/shortcuts.ts";
import classes from "./query-page.module.css";
import type { Statement } from "./statement.ts";
import { useIsUnsaved } from "./use-statement.ts";

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
  statement: Statement;
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
      <RunButton {...rest} />
    </Group>
  );
}

function RunButton({
  statement,
  isRunning,
  onRun,
}: Pick<QueryToolbarProps, "statement" | "isRunning" | "onRun">) {
  const isUnsaved = useIsUnsaved(statement);
  return (
    <Tooltip label={`${shortcutText("run")}${isUnsaved ? ", saves first" : ""}`}>
      <Button leftSection={<IconPlayerPlay size={16} />} onClick={onRun} data-running={isRunning}>
        Run
      </Button>
    </Tooltip>
  );
}
