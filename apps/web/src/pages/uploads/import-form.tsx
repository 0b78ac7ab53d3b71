import { Box, Button, Group, MultiSelect, Radio, Select, Stack, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { Inputs, Outputs } from "@querybell/client";
import { useMutation } from "@tanstack/react-query";
import { type KeyboardEvent, type ReactNode, useState } from "react";
import { api, queryClient, trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { toFailure } from "../../errors/failure.ts";
import { pluralize } from "../../format/pluralize.ts";

type Table = Outputs["uploads"]["overview"]["tables"][number];
type Import = Inputs["uploads"]["import"];
type Mode = NonNullable<Import["mode"]>;

/** What happens with the file's rows, and the table that they go into, unless it is new or not chosen yet. */
export interface ImportTarget {
  mode: Mode;
  existing: string | null;
  key: string[];
}

interface ImportFormProps {
  id: string;
  choices: Pick<Import, "types" | "dateOrder" | "reading">;
  suggestedTable: string;
  columns: string[];
  tables: readonly Table[];
  onTarget: (target: ImportTarget) => void;
  /** False while the file cannot be read as it was asked for. Only the table can be chosen then. */
  isReadable: boolean;
  onImported: () => Promise<void>;
  /** What the import would change. */
  children: ReactNode;
}

/** The table that a file goes into, and what happens to the rows that it has. */
export function ImportForm(props: ImportFormProps) {
  const { id, choices, suggestedTable, columns, tables, onTarget, isReadable, onImported, children } = props;
  const [mode, setMode] = useState<Mode>("create");
  const [newName, setNewName] = useState(suggestedTable);
  const [existing, setExisting] = useState<string | null>(
    tables.find(({ name }) => name === suggestedTable)?.name ?? null,
  );
  const [key, setKey] = useState<string[]>(() => keyOf(tables, existing));
  const table = mode === "create" ? newName.trim() : (existing ?? "");
  const [isIncomplete, setIncomplete] = useState(false);
  const run = useMutation({
    mutationFn: () =>
      api.uploads.import.mutate({ id, table, mode, ...(mode === "upsert" && { key }), ...choices }),
    onSuccess: async ({ name, rowCount, update }) => {
      await onImported();
      await queryClient.invalidateQueries(trpc.databases.pathFilter());
      const changed = update ? `: ${update.added} added, ${update.changed} changed` : "";
      notifications.show({ message: `The table ${name} has ${pluralize(rowCount, "row")} now${changed}.` });
    },
  });
  /** The error was about the other choice, and the preview depends on it. */
  const choose = (next: ImportTarget) => {
    setMode(next.mode);
    setExisting(next.existing);
    setKey(next.key);
    run.reset();
    onTarget(next);
  };
  const chosen = tables.find(({ name }) => name === existing);
  const isMissing = isIncomplete && table === "";
  const isKeyMissing = isIncomplete && mode === "upsert" && key.length === 0;
  const refused = run.error ? toFailure(run.error).fields.table : undefined;
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!isReadable) return;
        const isComplete = table !== "" && (mode !== "upsert" || key.length > 0);
        setIncomplete(!isComplete);
        if (isComplete && !run.isPending) run.mutate();
      }}
    >
      <Stack mt="md" gap="md" maw="28rem">
        {tables.length > 0 && (
          <Radio.Group
            label="What to do"
            value={mode}
            onChange={(value) => choose({ mode: modeOf(value), existing, key })}
          >
            <Stack gap="xs" mt={4}>
              <Radio value="create" label="Make a new table" />
              <Radio value="append" label="Add the rows to a table" />
              <Radio value="upsert" label="Update a table: change the rows that it has, add the others" />
              <Radio value="replace" label="Replace a table" />
            </Stack>
          </Radio.Group>
        )}
        {mode === "create" ? (
          <TextInput
            label="Name of the table"
            description="Letters, digits and _"
            value={newName}
            error={isMissing ? "Give the table a name." : refused}
            onChange={(event) => setNewName(event.currentTarget.value)}
          />
        ) : (
          <Select
            label="Table"
            description={
              mode === "replace" &&
              chosen &&
              `The file takes the place of its ${pluralize(chosen.rowCount, "row")}.`
            }
            searchable
            nothingFoundMessage="No table has this name."
            data={tables.map(({ name }) => name)}
            value={existing}
            error={isMissing ? "Choose a table." : refused}
            onChange={(name) => choose({ mode, existing: name, key: keyOf(tables, name) })}
            onKeyDown={openOnEnter}
            allowDeselect={false}
          />
        )}
        {mode === "upsert" && (
          <MultiSelect
            label="Key"
            description="The columns that tell which row of the table a row of the file is"
            data={[...new Set([...columns, ...key])]}
            value={key}
            error={isKeyMissing ? "Choose at least one column." : undefined}
            onChange={(names) => choose({ mode, existing, key: names })}
            onKeyDown={openOnEnter}
          />
        )}
      </Stack>
      {mode === "upsert" && children}
      {run.error && !isMissing && refused === undefined && (
        <Box mt="md">
          <ErrorNotice error={run.error} />
        </Box>
      )}
      {isReadable && (
        <Group mt="md">
          <Button type="submit" aria-disabled={run.isPending} data-busy={run.isPending}>
            {run.isPending ? "Importing…" : "Import"}
          </Button>
        </Group>
      )}
    </form>
  );
}

/** The key that a table remembers. */
const keyOf = (tables: readonly Table[], table: string | null): string[] =>
  tables.find(({ name }) => name === table)?.key ?? [];

/** What a preview needs to know of the table. Empty for a new one. */
export function toPreviewInput({
  mode,
  existing,
  key,
}: ImportTarget): Pick<Inputs["uploads"]["preview"], "table" | "mode" | "key"> {
  if (mode === "create" || existing === null) return {};
  return mode === "upsert" && key.length > 0 ? { table: existing, mode, key } : { table: existing };
}

const modes = ["create", "append", "upsert", "replace"] as const;
const modeOf = (value: string): Mode => modes.find((mode) => mode === value) ?? "create";

/** For a select: Enter opens it, as it does a native one, and does not send the form. */
function openOnEnter(event: KeyboardEvent<HTMLInputElement>): void {
  if (event.key !== "Enter") return;
  event.preventDefault();
  if (event.currentTarget.getAttribute("aria-expanded") !== "true") event.currentTarget.click();
}
