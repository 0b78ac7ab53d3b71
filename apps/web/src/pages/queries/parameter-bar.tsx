import { Button, Group, Modal, Paper, Skeleton, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { ParameterDefinition } from "@querybell/domain";
import { IconSettings } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { toFailure } from "../../errors/failure.ts";
import { ParameterDefinitions } from "../../parameters/parameter-definitions.tsx";
import { ParameterFields } from "../../parameters/parameter-fields.tsx";
import { definitionsFor } from "../../parameters/parameter-values.ts";
import { queryTitle } from "./query-title.ts";
import { definitionsOptions, type Parameters } from "./use-parameters.ts";
import type { Query } from "./use-saving.ts";

interface ParameterBarProps {
  query: Query | undefined;
  parameters: Parameters;
  onSubmit: () => void;
}

/** The parameter values for a run, and a button to edit the definitions. */
export function ParameterBar({ query, parameters, onSubmit }: ParameterBarProps) {
  const { placeholders, definitions, failedRead, values, setValues, errors } = parameters;
  const [isOpen, setOpen] = useState(false);
  return (
    <Paper withBorder p="sm" component="section" aria-label="Parameters">
      {failedRead && <ErrorNotice error={failedRead.error} onRetry={() => void failedRead.refetch()} />}
      <Group align="flex-start" justify="space-between" wrap="nowrap">
        <div style={{ flex: 1 }}>
          <ParameterFields
            definitions={definitions}
            values={values}
            onChange={setValues}
            errors={errors}
            onSubmit={onSubmit}
            isCompact
          />
        </div>
        {query && (
          <Button
            variant="subtle"
            size="compact-sm"
            leftSection={<IconSettings size={14} />}
            onClick={() => setOpen(true)}
          >
            Define
          </Button>
        )}
      </Group>
      {isOpen && query && (
        <DefinitionsDialog query={query} placeholders={placeholders} onClose={() => setOpen(false)} />
      )}
    </Paper>
  );
}

interface DefinitionsDialogProps {
  query: Query;
  placeholders: readonly string[];
  onClose: () => void;
}

/** Saving replaces definitions, so the form is shown only once the current ones are read. */
function DefinitionsDialog({ query, placeholders, onClose }: DefinitionsDialogProps) {
  const known = useQuery(definitionsOptions(query.id, placeholders));
  const references = useQuery(trpc.queries.references.queryOptions({ id: query.id }));
  const failed = [known, references].find(({ data, error }) => error && !data);
  return (
    <Modal opened onClose={onClose} title="Parameters" size="lg">
      {failed && <ErrorNotice error={failed.error} onRetry={() => void failed.refetch()} />}
      {known.data && references.data ? (
        <DefinitionsForm
          query={query}
          placeholders={placeholders}
          start={definitionsFor(placeholders, known.data)}
          // The definitions of the oldest reference have priority.
          oldest={references.data[0]}
          onClose={onClose}
        />
      ) : (
        !failed && <Skeleton height={200} />
      )}
    </Modal>
  );
}

interface DefinitionsFormProps extends DefinitionsDialogProps {
  start: readonly ParameterDefinition[];
  /** Stores the definitions. Undefined: a new reference is created for them. */
  oldest: { shortId: string; title: string } | undefined;
}

function DefinitionsForm({ query, placeholders, start, oldest, onClose }: DefinitionsFormProps) {
  const [definitions, setDefinitions] = useState<readonly ParameterDefinition[]>(start);
  const [error, setError] = useState<unknown>();
  const queries = useQueryClient();
  const save = async () => {
    setError(undefined);
    try {
      if (oldest) await updateDefinitions(oldest.shortId, definitions);
      else {
        const content = { title: queryTitle(query), parameters: [...definitions] };
        await api.references.create.mutate({ queryId: query.id, ...content });
      }
      void queries.invalidateQueries(trpc.queries.references.queryFilter({ id: query.id }));
      void queries.invalidateQueries(trpc.queries.definitions.queryFilter());
      void queries.invalidateQueries(trpc.references.get.queryFilter());
      notifications.show({ message: "The parameters are defined." });
      onClose();
    } catch (failure) {
      setError(failure);
    }
  };
  const where = oldest ? `the chart “${oldest.title}”` : "a new chart of this query";
  return (
    <>
      <Text size="sm" c="dimmed" mb="md">
        Definitions are kept in {where}. Save the SQL first if you have just added a parameter.
      </Text>
      {error !== undefined && <ErrorNotice error={error} />}
      <ParameterDefinitions
        definitions={definitions}
        placeholders={placeholders}
        onChange={setDefinitions}
        errors={error === undefined ? {} : toFailure(error).fields}
      />
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onClose}>
          Leave it
        </Button>
        <Button onClick={() => void save()}>Save definitions</Button>
      </Group>
    </>
  );
}

/** Keeps the definitions of other parameters. */
async function updateDefinitions(shortId: string, changed: readonly ParameterDefinition[]): Promise<void> {
  const { parameters: before } = await api.references.get.query({ shortId });
  const others = before.filter(({ name }) => !changed.some((one) => one.name === name));
  await api.references.update.mutate({ shortId, parameters: [...changed, ...others] });
}
