import { Button, Group, Stack, Table, Text, Title } from "@mantine/core";
import { Fragment, useState } from "react";
import { api, queryClient, trpc } from "../../../api.ts";
import type { DatabaseTable } from "../../../sql/described-tables.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { InlineText } from "../../../ui/inline-text.tsx";
import { Scrollable } from "../../../ui/scrollable.tsx";
import { QueryTableButton } from "../drafts/query-table-button.tsx";
import { ColumnProfile } from "./column-profile.tsx";
import classes from "./table-details.module.css";
import { TablePreview } from "./table-preview.tsx";
import { toTableSql } from "./table-sql.ts";

interface TableDetailsProps {
  databaseId: string;
  table: DatabaseTable;
  /** The schema whose tables need no prefix. */
  defaultSchema: string;
  onClose: () => void;
}

/** What is known about a table: descriptions, columns, what they hold, and the first rows. */
export function TableDetails({ databaseId, table, defaultSchema, onClose }: TableDetailsProps) {
  const [shown, setShown] = useState<string>();
  const place = { id: databaseId, schema: table.schema, table: table.name };
  const describe = async (column: string | null, description: string) => {
    await api.databases.saveDescription.mutate({ ...place, column, description });
    await queryClient.invalidateQueries(trpc.databases.descriptions.queryFilter({ id: databaseId }));
  };
  return (
    <Dialog onClose={onClose} title={<span className={classes.title}>{table.name}</span>} size="60rem">
      <Stack gap="md">
        <InlineText
          what={`description of ${table.name}`}
          value={table.description ?? ""}
          placeholder="What a row of it means"
          onSave={(text) => describe(null, text)}
        >
          <About described={table} placeholder="Nobody has described this table yet." />
        </InlineText>
        <Group>
          <QueryTableButton
            databaseId={databaseId}
            name={table.name}
            sql={toTableSql(table, defaultSchema)}
            onOpened={onClose}
          />
        </Group>
        <section aria-label="Columns">
          <Title order={3} size="h5" mb="xs">
            Columns
          </Title>
          <Scrollable className={classes.scroll} label={`Columns of ${table.name}`}>
            <Table verticalSpacing={4}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Name and type</Table.Th>
                  <Table.Th>Description</Table.Th>
                  <Table.Th>Contents</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {table.columns.map((column) => (
                  <Fragment key={column.name}>
                    <Table.Tr>
                      <Table.Td className={classes.name}>
                        {column.name}
                        <div className={classes.type}>{column.type}</div>
                      </Table.Td>
                      <Table.Td className={classes.about}>
                        <InlineText
                          what={`description of ${column.name}`}
                          value={column.description ?? ""}
                          onSave={(text) => describe(column.name, text)}
                        >
                          <About described={column} placeholder="–" />
                        </InlineText>
                      </Table.Td>
                      <Table.Td>
                        <Button
                          size="compact-xs"
                          variant="default"
                          aria-expanded={shown === column.name}
                          aria-label={`What it holds: ${column.name}`}
                          onClick={() => setShown(shown === column.name ? undefined : column.name)}
                        >
                          What it holds
                        </Button>
                      </Table.Td>
                    </Table.Tr>
                    {shown === column.name && (
                      <Table.Tr>
                        <Table.Td colSpan={3}>
                          <ColumnProfile {...place} column={column.name} />
                        </Table.Td>
                      </Table.Tr>
                    )}
                  </Fragment>
                ))}
              </Table.Tbody>
            </Table>
          </Scrollable>
        </section>
        <section aria-label="First rows">
          <Title order={3} size="h5" mb="xs">
            First rows
          </Title>
          <TablePreview {...place} />
        </section>
      </Stack>
    </Dialog>
  );
}

interface AboutProps {
  described: Pick<DatabaseTable, "description" | "comment">;
  placeholder: string;
}

/** The description by people and, unless it says the same, the comment of the database. */
const About = ({ described: { description, comment }, placeholder }: AboutProps) => (
  <div className={classes.text}>
    {description !== undefined && <Text size="sm">{description}</Text>}
    {comment !== undefined && comment !== description && (
      <Text size="sm" c="dimmed">
        {comment}
      </Text>
    )}
    {description === undefined && comment === undefined && (
      <Text size="sm" c="dimmed">
        {placeholder}
      </Text>
    )}
  </div>
);
