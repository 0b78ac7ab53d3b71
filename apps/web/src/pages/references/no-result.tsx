import { Button } from "@mantine/core";
import { EmptyState } from "../../ui/empty-state.tsx";

interface NoResultProps {
  code: string | undefined;
  message: string;
  isRunning: boolean;
  onRun: () => void;
}

/** Shown for a permalink without a result. Opening it does not run the query; a button does. */
export function NoResult({ code, message, isRunning, onRun }: NoResultProps) {
  const needsValues = code === "missing_parameter_values" || code === "invalid_parameter_value";
  const words =
    code === "result_expired"
      ? "The cached result has expired."
      : code === "result_not_found"
        ? "There is no cached result for these values yet."
        : message;
  return (
    <EmptyState title={needsValues ? "It needs values first" : "No result to show"} description={words}>
      {!isRunning && <Button onClick={onRun}>Run the query</Button>}
    </EmptyState>
  );
}
