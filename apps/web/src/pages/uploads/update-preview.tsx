import { Alert, Table, Text } from "@mantine/core";
import type { Outputs } from "@querybell/client";
import { IconArrowsExchange } from "@tabler/icons-react";
import { pluralize } from "../../format/pluralize.ts";
import { Scrollable } from "../../ui/scrollable.tsx";
import classes from "./preview-table.module.css";

interface UpdatePreviewProps {
  preview: Outputs["uploads"]["preview"];
  /** Whether the preview is of choices that were changed since. */
  isOutdated: boolean;
}

/** What an update of a table would change. */
export function UpdatePreview({ preview, isOutdated }: UpdatePreviewProps) {
  const { update, updateRefusal } = preview;
  if (isOutdated) {
    return (
      <Text mt="md" role="status">
        Comparing the file with the table…
      </Text>
    );
  }
  if (updateRefusal !== undefined) {
    return (
      <Alert mt="md" color="amber" variant="light" icon={<IconArrowsExchange />}>
        {updateRefusal}
      </Alert>
    );
  }
  if (!update) return null;
  const { added, changed, unchanged, kept, samples } = update;
  return (
    <>
      <Text mt="md" role="status">
        {pluralize(added, "row")} will be added and {changed} changed. {pluralize(unchanged, "row")}{" "}
        {unchanged === 1 ? "stays as it is" : "stay as they are"}, and {pluralize(kept, "row")} that the file
        does not have {kept === 1 ? "is" : "are"} kept.
      </Text>
      {samples.length > 0 && (
        <Scrollable className={classes.scroll} label="Values that change">
          <Table verticalSpacing={4} mt="xs">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Key</Table.Th>
                <Table.Th>Column</Table.Th>
                <Table.Th>Now</Table.Th>
                <Table.Th>Then</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {samples.map(({ key, column, before, after }) => (
                <Table.Tr key={JSON.stringify([key, column])}>
                  <Table.Td>{key.join(", ")}</Table.Td>
                  <Table.Td>{column}</Table.Td>
                  <Table.Td>{before ?? "NULL"}</Table.Td>
                  <Table.Td>{after ?? "NULL"}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Scrollable>
      )}
    </>
  );
}
