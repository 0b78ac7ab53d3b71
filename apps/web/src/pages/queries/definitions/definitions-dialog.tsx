import { Button, Group, Skeleton, Text } from "@mantine/core";
import type { Choices, DraftParameters, ParameterInputs, QueryParameters } from "@querybell/domain";
import { AppError } from "@querybell/domain/app-error";
import { isSameJson } from "@querybell/domain/same-json";
import { checkInputs } from "@querybell/statements/check-inputs";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ErrorNotice } from "../../../errors/error-notice.tsx";
import { noInputs, pageClock, withAllDefined } from "../../../parameters/parameter-values.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import type { Statement } from "../statement.ts";
import { parametersOptions } from "../use-parameters.ts";
import { ParameterDefinitions } from "./parameter-definitions.tsx";

interface DefinitionsDialogProps {
  /** Undefined: a new query. */
  queryId: string | undefined;
  /** As it is in the editor. It gets the changed definitions, and is saved with them. */
  statement: Statement;
  placeholders: readonly string[];
  /** What was changed, and from what; undefined: nothing yet. */
  edited: DraftParameters | undefined;
  onEdit: (edited: DraftParameters) => void;
  /** Called with what was changed and is not used, if there is anything. */
  onClose: (dropped?: DraftParameters) => void;
}

/** Edits the parameters of a query, as a part of its draft: they are saved with the text. */
export function DefinitionsDialog(props: DefinitionsDialogProps) {
  const { queryId, statement, placeholders, edited, onClose } = props;
  const changed = statement.parameters;
  const isRead = queryId !== undefined && !changed;
  // The form is shown only once the current ones are read: it replaces them.
  const known = useQuery({ ...parametersOptions(queryId ?? "", placeholders), enabled: isRead });
  const base = changed ? changed.base : (known.data ?? null);
  const isReady = !isRead || known.data !== undefined;
  return (
    <Dialog onClose={() => onClose(edited)} title="Parameters" size="xl">
      {isRead && known.error && !known.data && (
        <ErrorNotice error={known.error} onRetry={() => void known.refetch()} />
      )}
      {isReady && <DefinitionsForm {...props} changed={changed} base={base} />}
      {!isReady && !known.error && <Skeleton height={200} />}
    </Dialog>
  );
}

interface DefinitionsFormProps extends DefinitionsDialogProps {
  changed: DraftParameters | undefined;
  base: QueryParameters | null;
}

function DefinitionsForm(props: DefinitionsFormProps) {
  const { queryId, statement, placeholders, edited, onEdit, onClose, ...start } = props;
  // What was read when the form was first opened: somebody else may save meanwhile.
  const [base] = useState(() => {
    const read = edited ? edited.base : start.base;
    return read && withAllDefined(placeholders, read);
  });
  const [first] = useState(() => inputsOf(start.changed ?? start.base ?? noInputs));
  // The text may have got placeholders since it was edited.
  const inputs = withAllDefined(placeholders, edited ? inputsOf(edited) : first);
  const [errors, setErrors] = useState<Record<string, string>>({});

  const apply = () => {
    const next = withoutEmptyChoices(inputs);
    const wrong = findInputErrors(next);
    setErrors(wrong);
    if (Object.keys(wrong).length > 0) return;
    const isUnchanged = isSameJson(next, inputsOf(base ?? withAllDefined(placeholders, noInputs)));
    statement.define(isUnchanged ? undefined : { ...next, base });
    onClose();
  };
  return (
    <>
      <Text size="sm" c="dimmed" mb="md">
        They belong to the query: every run, chart and automation uses them once the query is saved. Until
        then, your trials do. A chart may have other labels and defaults.
      </Text>
      <ParameterDefinitions
        queryId={queryId}
        sql={statement.sql}
        inputs={inputs}
        placeholders={placeholders}
        onChange={(changed) => {
          onEdit({ ...changed, base });
          setErrors({});
        }}
        errors={errors}
      />
      {Object.keys(errors).length > 0 && (
        <Text mt="md" size="sm" c="var(--qb-bad)" role="alert">
          Something does not fit: correct what is marked.
        </Text>
      )}
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={() => onClose(edited)}>
          Cancel
        </Button>
        <Button onClick={apply}>Use these definitions</Button>
      </Group>
    </>
  );
}

const inputsOf = ({ definitions, choices, ranges }: ParameterInputs): ParameterInputs => ({
  definitions,
  choices,
  ranges,
});

/** What does not fit, by path: the check of the api, before anything is sent. */
export function findInputErrors(inputs: ParameterInputs): Record<string, string> {
  try {
    checkInputs(inputs, pageClock);
    return {};
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return Object.fromEntries((error.errors ?? []).map(({ path, message }) => [path, message]));
  }
}

/** Rows of choices that were added and left empty do not count. */
export const withoutEmptyChoices = ({ choices, ...rest }: ParameterInputs): ParameterInputs => ({
  ...rest,
  choices: Object.fromEntries(
    Object.entries(choices).flatMap(([name, offered]): [string, Choices][] => {
      if (offered.kind === "query") return [[name, offered]];
      const items = offered.items.filter(({ value }) => value !== "");
      return items.length === 0 ? [] : [[name, { kind: "list", items }]];
    }),
  ),
});
