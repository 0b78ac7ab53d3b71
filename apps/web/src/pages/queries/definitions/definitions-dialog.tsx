import { Button, Group, Modal, Skeleton, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { Outputs } from "@querybell/client";
import type { Choices, ParameterInputs } from "@querybell/domain";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, trpc } from "../../../api.ts";
import { ErrorNotice } from "../../../errors/error-notice.tsx";
import { toFailure } from "../../../errors/failure.ts";
import { definitionsFor, findValueError } from "../../../parameters/parameter-values.ts";
import { parametersOptions } from "../use-parameters.ts";
import { mergeInputs } from "./merge-inputs.ts";
import { ParameterDefinitions } from "./parameter-definitions.tsx";

type QueryParameters = Outputs["queries"]["parameters"];

interface DefinitionsDialogProps {
  queryId: string;
  /** As it is in the editor. */
  sql: string;
  placeholders: readonly string[];
  onClose: () => void;
}

/** Edits the parameters of a query. Saving replaces them, so the form is shown only once the current ones are read. */
export function DefinitionsDialog(props: DefinitionsDialogProps) {
  const { queryId, placeholders, onClose } = props;
  const known = useQuery(parametersOptions(queryId, placeholders));
  return (
    <Modal opened onClose={onClose} title="Parameters" size="xl">
      {known.error && !known.data && <ErrorNotice error={known.error} onRetry={() => void known.refetch()} />}
      {known.data && <DefinitionsForm {...props} start={known.data} />}
      {!known.data && !known.error && <Skeleton height={200} />}
    </Modal>
  );
}

interface DefinitionsFormProps extends DefinitionsDialogProps {
  start: QueryParameters;
}

function DefinitionsForm({ queryId, sql, placeholders, start, onClose }: DefinitionsFormProps) {
  // What was read when the form was opened: somebody else may save meanwhile.
  const [base, setBase] = useState(() => toEdited(start, placeholders));
  const [version, setVersion] = useState(start.version);
  const [inputs, setInputs] = useState<ParameterInputs>(base);
  const [error, setError] = useState<unknown>();
  const queries = useQueryClient();
  const failure = error === undefined ? undefined : toFailure(error);
  const isUnfit = inputs.definitions.some(
    (one) => one.defaultValue !== undefined && findValueError(one, one.defaultValue) !== undefined,
  );

  const save = async () => {
    setError(undefined);
    try {
      await api.queries.setParameters.mutate({ id: queryId, version, ...withoutEmpty(inputs) });
      void queries.invalidateQueries(trpc.queries.parameters.queryFilter());
      void queries.invalidateQueries(trpc.references.get.queryFilter());
      notifications.show({ message: "The parameters are saved." });
      onClose();
    } catch (refused) {
      setError(refused);
    }
  };
  /** Takes what somebody else has saved, and applies one's own changes to it. */
  const merge = async () => {
    try {
      const names = placeholders.slice(0, 100);
      const theirs = await api.queries.parameters.query({ id: queryId, names });
      const next = toEdited(theirs, placeholders);
      setInputs(mergeInputs({ base, mine: inputs, theirs: next }));
      setBase(next);
      setVersion(theirs.version);
      setError(undefined);
    } catch (refused) {
      setError(refused);
    }
  };
  return (
    <>
      <Text size="sm" c="dimmed" mb="md">
        They belong to the query: every run, chart and automation uses them. A chart may have other labels and
        defaults.
      </Text>
      <ParameterDefinitions
        queryId={queryId}
        sql={sql}
        inputs={inputs}
        placeholders={placeholders}
        onChange={setInputs}
        errors={failure?.fields ?? {}}
      />
      {error !== undefined && <ErrorNotice error={error} />}
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onClose}>
          Leave it
        </Button>
        {failure?.code === "query_changed" ? (
          <Button onClick={() => void merge()}>Add my changes to theirs</Button>
        ) : (
          <Button aria-disabled={isUnfit} onClick={() => !isUnfit && void save()}>
            Save definitions
          </Button>
        )}
      </Group>
    </>
  );
}

/** One definition for each placeholder, then those that the SQL does not use now. */
function toEdited(
  { definitions, choices, ranges }: QueryParameters,
  placeholders: readonly string[],
): ParameterInputs {
  const others = definitions.filter(({ name }) => !placeholders.includes(name));
  return { definitions: [...definitionsFor(placeholders, definitions), ...others], choices, ranges };
}

/** Rows of choices that were added and left empty do not count. */
const withoutEmpty = ({ choices, ...rest }: ParameterInputs): ParameterInputs => ({
  ...rest,
  choices: Object.fromEntries(
    Object.entries(choices).flatMap(([name, offered]): [string, Choices][] => {
      if (offered.kind === "query") return [[name, offered]];
      const items = offered.items.filter(({ value }) => value !== "");
      return items.length === 0 ? [] : [[name, { kind: "list", items }]];
    }),
  ),
});
