import { useCallback, useEffect, useRef, useState } from "react";
import { api, queryClient, showChange, trpc } from "../../../api.ts";
import { type Failure, toFailure } from "../../../errors/failure.ts";
import type { Content, Dashboard } from "../dashboard.ts";

/** How long after the last change it is saved. */
const saveAfterMs = 700;
const maxSteps = 100;

type SaveState = "saved" | "waiting" | "saving" | "conflict" | Failure;

interface History {
  past: Content[];
  now: Content;
  future: Content[];
}

/** The content while it is edited: with undo and redo. Every change is saved shortly after it was made. */
export function useEditing(dashboard: Dashboard) {
  const { id } = dashboard;
  const [history, setHistory] = useState<History>({ past: [], now: dashboard.content, future: [] });
  const [state, setState] = useState<SaveState>("saved");
  // What the server has, as far as this page knows.
  const saved = useRef<{ content: Content; version: number }>(dashboard);
  const latest = useRef(history.now);
  latest.current = history.now;
  const saving = useRef<Promise<void>>(undefined);

  const saveOnce = useCallback(async () => {
    const content = latest.current;
    if (content === saved.current.content) return;
    setState("saving");
    try {
      const { version } = saved.current;
      const answer = await api.dashboards.update.mutate({ id, content, version });
      const hasOtherCharts = chartsIn(content) !== chartsIn(saved.current.content);
      const before = saved.current.content;
      saved.current = { content, version: answer.version };
      const options = trpc.dashboards.get.queryOptions({ id });
      showChange(options.queryKey, (known) => known && { ...known, ...answer });
      // Filters decide which placeholders are fed, and the defaults which results are shown.
      if (hasOtherCharts || content.filters !== before.filters) void queryClient.invalidateQueries(options);
      setState(latest.current === content ? "saved" : "waiting");
    } catch (refused) {
      const failure = toFailure(refused);
      setState(failure.code === "dashboard_changed" ? "conflict" : failure);
    }
  }, [id]);

  /** Saves what is not saved yet, after a save that goes on. */
  const save = useCallback((): Promise<void> => {
    const next = (saving.current ?? Promise.resolve()).then(saveOnce);
    saving.current = next;
    return next;
  }, [saveOnce]);

  const isUnsaved = history.now !== saved.current.content;
  useEffect(() => {
    if (history.now === saved.current.content) return;
    setState((before) => (before === "conflict" ? before : "waiting"));
    const timer = setTimeout(() => void save(), saveAfterMs);
    return () => clearTimeout(timer);
  }, [history.now, save]);
  // A page that is closed before that asks first; one that is left inside the app saves.
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => {
      if (latest.current !== saved.current.content) event.preventDefault();
    };
    window.addEventListener("beforeunload", ask);
    return () => {
      window.removeEventListener("beforeunload", ask);
      void save();
    };
  }, [save]);

  const change = (content: Content) =>
    setHistory(({ past, now }) => ({ past: [...past.slice(-maxSteps), now], now: content, future: [] }));
  const undo = () =>
    setHistory((before) => {
      const { past, now, future } = before;
      const last = past.at(-1);
      return last ? { past: past.slice(0, -1), now: last, future: [now, ...future] } : before;
    });
  const redo = () =>
    setHistory((before) => {
      const [next, ...future] = before.future;
      return next ? { past: [...before.past, before.now], now: next, future } : before;
    });
  return {
    content: history.now,
    state,
    isUnsaved,
    change,
    undo: history.past.length > 0 ? undo : undefined,
    redo: history.future.length > 0 ? redo : undefined,
    save,
    /** Ends a conflict with the version of the others: the own content is one undo away. */
    takeTheirs: (theirs: Dashboard) => {
      saved.current = { content: theirs.content, version: theirs.version };
      change(theirs.content);
      setState("saved");
    },
    /** Ends a conflict with the own content. The other one stays among the versions. */
    keepMine: (theirs: Dashboard) => {
      saved.current = { content: theirs.content, version: theirs.version };
      return save();
    },
  };
}

const chartsIn = ({ tabs }: Content): string =>
  tabs
    .flatMap(({ tiles }) => tiles.flatMap((tile) => (tile.kind === "chart" ? [tile.referenceId] : [])))
    .sort()
    .join();
