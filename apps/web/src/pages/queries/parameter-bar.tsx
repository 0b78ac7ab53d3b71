import { Button, Group, Paper } from "@mantine/core";
import type { ParameterInputs } from "@querybell/domain";
import { IconSettings } from "@tabler/icons-react";
import { Suspense, useState } from "react";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { ParameterFields } from "../../parameters/parameter-fields.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { showUndo } from "../../ui/undo.tsx";
import classes from "./query-page.module.css";
import type { Statement } from "./statement.ts";
import type { Parameters } from "./use-parameters.ts";
import type { Query } from "./use-saving.ts";

const DefinitionsDialog = lazyPart(
  async () => (await import("./definitions/definitions-dialog.tsx")).DefinitionsDialog,
);

interface ParameterBarProps {
  query: Query | undefined;
  statement: Statement;
  parameters: Parameters;
  onSubmit: () => void;
}

/** The parameter values for a run, and a button to edit the definitions. */
export function ParameterBar({ query, statement, parameters, onSubmit }: ParameterBarProps) {
  const { placeholders, inputs, failedRead, values, setValues, errors, setErrors } = parameters;
  const [opened, setOpened] = useState<{ kept?: ParameterInputs }>();
  const close = (dropped?: ParameterInputs) => {
    setOpened(undefined);
    // They were found with the definitions of before.
    setErrors({});
    if (!dropped) return;
    const reopen = async () => setOpened({ kept: dropped });
    showUndo({ message: "Your changes of the parameters are dropped.", undo: reopen });
  };
  return (
    <Paper withBorder p="sm" component="section" aria-label="Parameters">
      {failedRead && <ErrorNotice error={failedRead.error} onRetry={() => void failedRead.refetch()} />}
      <Group align="flex-start" justify="space-between" wrap="nowrap">
        <div className={classes.parameters}>
          <ParameterFields
            inputs={inputs}
            values={values}
            onChange={(changed) => {
              setValues(changed);
              setErrors({});
            }}
            errors={errors}
            onSubmit={onSubmit}
            isCompact
          />
        </div>
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={<IconSettings size={14} />}
          onClick={() => setOpened({})}
        >
          Define
        </Button>
      </Group>
      {opened && (
        <Suspense fallback={null}>
          <DefinitionsDialog
            queryId={query?.id}
            statement={statement}
            placeholders={placeholders}
            kept={opened.kept}
            onClose={close}
          />
        </Suspense>
      )}
    </Paper>
  );
}
