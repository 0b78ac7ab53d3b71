import { Button, Group, Paper } from "@mantine/core";
import { IconSettings } from "@tabler/icons-react";
import { Suspense, useState } from "react";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { ParameterFields } from "../../parameters/parameter-fields.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
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
  const [isOpen, setOpen] = useState(false);
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
          onClick={() => setOpen(true)}
        >
          Define
        </Button>
      </Group>
      {isOpen && (
        <Suspense fallback={null}>
          <DefinitionsDialog
            queryId={query?.id}
            statement={statement}
            placeholders={placeholders}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </Paper>
  );
}
