import { Button, Group, Paper } from "@mantine/core";
import type { DraftParameters } from "@querybell/domain";
import { IconSettings } from "@tabler/icons-react";
import { Suspense, useEffect, useRef, useState } from "react";
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
  const { opened, open, edit, close } = useDefining();
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
          onClick={() => open()}
        >
          Define
        </Button>
      </Group>
      {opened && (
        <Suspense fallback={null}>
          <DefinitionsDialog
            key={opened.count}
            queryId={query?.id}
            statement={statement}
            placeholders={placeholders}
            edited={opened.edited}
            onEdit={edit}
            onClose={(dropped) => {
              close(dropped);
              // They were found with the definitions of before.
              setErrors({});
            }}
          />
        </Suspense>
      )}
    </Paper>
  );
}

interface Opened {
  /** Another one for each dialog that takes the place of one that is open. */
  count: number;
  /** Undefined: nothing was changed yet. */
  edited: DraftParameters | undefined;
}

/** Whether the dialog of the definitions is open, and what was changed in it: if it is left, it can be opened again with that. */
function useDefining() {
  const [opened, setOpened] = useState<Opened>();
  const latest = useRef(opened);
  latest.current = opened;
  /** The newest first. */
  const offers = useRef<{ withdraw: () => void }[]>([]);
  useEffect(() => {
    const made = offers.current;
    // Only this page can open its dialog again.
    return () => {
      for (const { withdraw } of made) withdraw();
    };
  }, []);

  const open = (edited?: DraftParameters) =>
    setOpened((before) => ({ count: (before?.count ?? 0) + 1, edited }));
  const offer = (dropped: DraftParameters | undefined) => {
    if (!dropped) return;
    const undo = async () => {
      // A dialog that was opened meanwhile is left for it.
      offer(latest.current?.edited);
      open(dropped);
    };
    offers.current.unshift(showUndo({ message: "Your changes of the parameters are dropped.", undo }));
  };
  return {
    opened,
    open,
    edit: (edited: DraftParameters) => setOpened((before) => before && { ...before, edited }),
    close: (dropped?: DraftParameters) => {
      setOpened(undefined);
      offer(dropped);
    },
  };
}
