import { createContext, type ReactNode, useContext, useMemo, useState } from "react";

/** Rows of a step's result that somebody wants to see, counted from 1. */
interface ShownRows {
  step: string;
  rows: readonly number[];
}

const ShownRowsContext = createContext<{ shown: ShownRows | null; show: (rows: ShownRows) => void }>({
  shown: null,
  show: () => {},
});

/** Lets a number in the summary lead to the rows that it came from. */
export function ShownRowsProvider({ children }: { children: ReactNode }) {
  const [shown, show] = useState<ShownRows | null>(null);
  const value = useMemo(() => ({ shown, show }), [shown]);
  return <ShownRowsContext value={value}>{children}</ShownRowsContext>;
}

export const useShowRows = () => useContext(ShownRowsContext).show;

/** The rows of this step that are to be seen; undefined if it is not this step. */
export function useShownRows(step: string): readonly number[] | undefined {
  const { shown } = useContext(ShownRowsContext);
  return shown?.step === step ? shown.rows : undefined;
}
