import { Button, Group, List, Stack, Table, Text } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import type { Outputs } from "@querybell/client";
import { useMutation } from "@tanstack/react-query";
import { api } from "../../../api.ts";
import { ErrorNotice } from "../../../errors/error-notice.tsx";
import { toFailure, toFormFailure } from "../../../errors/failure.ts";
import { pluralize } from "../../../format/pluralize.ts";
import { showAtFields } from "../../../ui/action-form.tsx";
import { Timestamp } from "../../../ui/timestamp.tsx";
import { refusalTexts } from "../recipient-labels.ts";
import { type AutomationValues, inputOf } from "./form-values.ts";
import { toRecipientsField } from "./recipient-values.ts";

type Preview = Outputs["automations"]["previewRecipients"];
type Recipient = Preview["recipients"][number];

/** Who would get what, by the present result of the chart. */
export function RecipientsPreview({ form }: { form: UseFormReturnType<AutomationValues> }) {
  const preview = useMutation({
    mutationFn: async (values: AutomationValues) => {
      const { recipients, references } = await inputOf(values);
      if (!recipients) throw new Error("There are no recipients to preview.");
      const chart = references.find(({ shortId }) => shortId === recipients.shortId);
      const { parameterValues = {} } = chart ?? {};
      return api.automations.previewRecipients
        .mutate({ recipients, parameterValues })
        .catch((error: unknown) => {
          throw toFormFailure(error, toRecipientsField);
        });
    },
    onError: (error) => showAtFields(form, toFailure(error).fields),
  });
  const show = () => {
    const paths = ["shortId", "column", "destinationId"].map((name) => `recipients.${name}`);
    const isComplete = paths.every((path) => !form.validateField(path).hasError);
    if (isComplete && !preview.isPending) preview.mutate(form.values);
  };
  return (
    <div aria-live="polite">
      <Group>
        <Button variant="default" size="compact-sm" onClick={show}>
          {preview.isPending ? "Looking…" : "Show who would get what"}
        </Button>
      </Group>
      {preview.error && <ErrorNotice error={preview.error} />}
      {preview.data && <Previewed preview={preview.data} />}
    </div>
  );
}

function Previewed({ preview }: { preview: Preview }) {
  const { resultAt, problem, recipients, recipientCount, emptyCount } = preview;
  const refused = recipients.filter(({ refusal }) => refusal !== null).length;
  return (
    <Stack gap="xs" mt="xs">
      {problem !== null && (
        <Text size="sm" c="var(--qb-bad)" role="alert">
          {problem}
        </Text>
      )}
      <Text size="sm">
        By the result of <Timestamp at={resultAt} />: {pluralize(recipientCount, "recipient")}
        {recipients.length < recipientCount && `, of which the first ${recipients.length} are shown`}.
        {refused > 0 && ` ${pluralize(refused, "recipient")} of these would get nothing.`}
        {emptyCount > 0 && ` ${pluralize(emptyCount, "row")} without a recipient.`}
      </Text>
      <List size="sm" aria-label="Who would get what" spacing="xs">
        {recipients.map((recipient) => (
          <List.Item key={recipient.recipient}>
            <PreviewedRecipient recipient={recipient} />
          </List.Item>
        ))}
      </List>
    </Stack>
  );
}

function PreviewedRecipient({
  recipient: { recipient, rowCount, refusal, columns, rows },
}: {
  recipient: Recipient;
}) {
  if (refusal !== null) {
    return (
      <>
        {recipient}: nothing. <Text span>{refusalTexts[refusal]}</Text>
      </>
    );
  }
  return (
    <details>
      <summary>
        {recipient}: {pluralize(rowCount, "row")}
      </summary>
      <Table.ScrollContainer minWidth={300}>
        <Table fz="sm">
          <Table.Thead>
            <Table.Tr>
              {columns.map((name, index) => (
                <Table.Th key={index}>{name}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row, index) => (
              <Table.Tr key={index}>
                {row.map((cell, at) => (
                  <Table.Td key={at}>{cell}</Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {rows.length < rowCount && (
        <Text size="sm" c="dimmed">
          The first {rows.length} rows.
        </Text>
      )}
    </details>
  );
}
