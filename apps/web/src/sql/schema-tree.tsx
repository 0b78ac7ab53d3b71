import { ActionIcon, Button, Select, Skeleton, Stack, Text, TextInput, UnstyledButton } from "@mantine/core";
import {
  IconChartBar,
  IconChevronDown,
  IconChevronRight,
  IconExternalLink,
  IconInfoCircle,
  IconRefresh,
  IconSearch,
  IconTable,
} from "@tabler/icons-react";
import { type DragEvent, useMemo, useState } from "react";
import { ErrorNotice } from "../errors/error-notice.tsx";
import { AnchorTo } from "../ui/links.tsx";
import type { DatabaseTable } from "./described-tables.ts";
import { quoteName } from "./quote-name.ts";
import classes from "./schema-tree.module.css";

interface SchemaTreeProps {
  tables: readonly DatabaseTable[] | undefined;
  error: unknown;
  onRetry: () => void;
  /** The schema whose tables need no prefix. */
  defaultSchema: string;
  onInsert: (text: string) => void;
  /** Shows what is known about a table. */
  onOpen: (table: DatabaseTable) => void;
  /** Where the tables of one schema are shown at a time. */
  choice?:
    | { schemas: readonly string[]; schema: string | undefined; choose: (schema: string) => void }
    | undefined;
  /** Shows more tables, if there are more. */
  onMore?: (() => void) | undefined;
}

/** The tables of a database and their columns. A click writes a name into the statement; it can be dragged there, too. */
export function SchemaTree(props: SchemaTreeProps) {
  const { tables, error, onRetry, defaultSchema, onInsert, onOpen, choice, onMore } = props;
  const [filter, setFilter] = useState("");
  const found = useMemo(() => filterTables(tables ?? [], filter), [tables, filter]);
  return (
    <section className={classes.tree} aria-label="Tables of the database">
      {choice && (
        <Select
          size="xs"
          mb={6}
          aria-label="Schema"
          placeholder="Schema of the connection"
          searchable
          data={choice.schemas}
          value={choice.schema ?? null}
          onChange={(schema) => schema !== null && choice.choose(schema)}
        />
      )}
      <TextInput
        size="xs"
        aria-label="Filter tables and columns"
        placeholder="Filter tables and columns"
        leftSection={<IconSearch size={14} />}
        value={filter}
        onChange={(event) => setFilter(event.currentTarget.value)}
        rightSection={
          <ActionIcon variant="subtle" size="sm" aria-label="Read the tables again" onClick={onRetry}>
            <IconRefresh size={14} />
          </ActionIcon>
        }
      />
      {error ? <ErrorNotice error={error} onRetry={onRetry} /> : null}
      {!tables && !error && <LoadingTables />}
      {tables && found.length === 0 && (
        <Text size="sm" c="dimmed">
          {tables.length === 0
            ? `There are no tables in this ${choice ? "schema" : "database"}.`
            : "No table or column has this in its name or description."}
        </Text>
      )}
      <ul className={classes.tables}>
        {found.map((table) => (
          <TableItem
            key={`${table.schema}.${table.name}`}
            table={table}
            prefix={table.schema === defaultSchema ? "" : `${quoteName(table.schema)}.`}
            isOpen={filter !== ""}
            onInsert={onInsert}
            onOpen={onOpen}
          />
        ))}
      </ul>
      {onMore && (
        <Button variant="subtle" size="compact-xs" onClick={onMore}>
          More tables
        </Button>
      )}
    </section>
  );
}

const LoadingTables = () => (
  <Stack gap={6} aria-busy="true">
    {["70%", "55%", "80%", "60%", "65%"].map((width) => (
      <Skeleton key={width} height={18} width={width} />
    ))}
  </Stack>
);

function filterTables(tables: readonly DatabaseTable[], filter: string): readonly DatabaseTable[] {
  const wanted = filter.trim().toLowerCase();
  if (wanted === "") return tables;
  const has = ({ name, about = "" }: { name: string; about?: string }) =>
    name.toLowerCase().includes(wanted) || about.toLowerCase().includes(wanted);
  return tables.flatMap((table) => {
    if (has(table)) return [table];
    const columns = table.columns.filter(has);
    return columns.length > 0 ? [{ ...table, columns }] : [];
  });
}

interface TableItemProps {
  table: DatabaseTable;
  prefix: string;
  isOpen: boolean;
  onInsert: (text: string) => void;
  onOpen: (table: DatabaseTable) => void;
}

/** The editor takes dropped text and inserts it where it is dropped. */
const startDrag = (text: string) => (event: DragEvent) => {
  event.dataTransfer.setData("text/plain", text);
  event.dataTransfer.effectAllowed = "copy";
};

function TableItem({ table, prefix, isOpen, onInsert, onOpen }: TableItemProps) {
  const written = `${prefix}${quoteName(table.name)}`;
  const [chosen, setChosen] = useState<boolean>();
  const open = chosen ?? isOpen;
  const Chevron = open ? IconChevronDown : IconChevronRight;
  return (
    <li>
      <div className={classes.head}>
        {table.chart === undefined ? (
          <ActionIcon
            variant="subtle"
            size="sm"
            aria-expanded={open}
            aria-label={`Columns of ${table.name}`}
            onClick={() => setChosen(!open)}
          >
            <Chevron size={14} />
          </ActionIcon>
        ) : (
          <IconChartBar size={14} aria-hidden className={classes.chart} />
        )}
        <UnstyledButton
          className={classes.row}
          title={`Insert ${prefix}${table.name}`}
          draggable
          onDragStart={startDrag(written)}
          onClick={() => onInsert(written)}
        >
          {table.chart === undefined && <IconTable size={14} aria-hidden className={classes.icon} />}
          <span className={classes.name}>
            {prefix}
            {table.name}
          </span>
        </UnstyledButton>
        {table.chart === undefined ? (
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label={`About ${table.name}`}
            title={`About ${table.name}`}
            onClick={() => onOpen(table)}
          >
            <IconInfoCircle size={14} />
          </ActionIcon>
        ) : (
          <AnchorTo to="/q/$shortId" params={{ shortId: table.chart }} aria-label={`Open ${table.name}`}>
            <IconExternalLink size={14} />
          </AnchorTo>
        )}
      </div>
      <About text={table.about} />
      {open && (
        <ul className={classes.columns}>
          {table.columns.map((column) => (
            <li key={column.name}>
              <UnstyledButton
                className={classes.row}
                title={`Insert ${column.name} (${column.type})`}
                draggable
                onDragStart={startDrag(quoteName(column.name))}
                onClick={() => onInsert(quoteName(column.name))}
              >
                <span className={classes.name}>{column.name}</span>
                <span className={classes.type}>{column.type}</span>
              </UnstyledButton>
              <About text={column.about} />
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

const About = ({ text }: { text: string | undefined }) =>
  text === undefined ? null : (
    <div className={classes.about} title={text}>
      {text}
    </div>
  );
