import { createContext, type ReactNode, useContext, useMemo, useState } from "react";

/** The rows of a step's result to highlight, counted from 1. */
interface ShownRows {
  step: string;
  rows: readonly number[];
}

const ShownRowsContext = createContext<{ shown: ShownRows | null; show: (rows: ShownRows) => void }>({
  shown: null,
  show: () => {},
});

/** Shares the highlighted rows between the summary and the steps. */
export function ShownRowsProvider({ children }: { children: ReactNode }) {
  const [shown, show] = useState<ShownRows | null>(null);
  const value = useMemo(() => ({ shown, show }), [shown]);
  return <ShownRowsContext value={value}>{children}</ShownRowsContext>;
}

export const useShowRows = () => useContext(ShownRowsContext).show;

/** The highlighted rows of this step; undefined if another step is highlighted. */
export function useShownRows(step: string): readonly number[] | undefined {
  const { shown } = useContext(ShownRowsContext);
  return shown?.step === step ? shown.rows : undefined;
}
