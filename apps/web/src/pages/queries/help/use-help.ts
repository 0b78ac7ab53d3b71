import type { Inputs, Outputs } from "@querybell/client";
import { useCallback, useEffect, useRef, useState } from "react";
import { api, queryClient, trpc } from "../../../api.ts";

type HelpRequest = Inputs["sqlHelp"]["ask"];
type HelpProgress = Outputs["sqlHelp"]["answer"] extends AsyncIterable<infer Progress> ? Progress : never;
export type HelpAnswer = Extract<HelpProgress, { stage: "answered" }>;

type HelpState =
  | { kind: "idle" }
  | { kind: "busy"; request: HelpRequest; progress: Exclude<HelpProgress, HelpAnswer> | undefined }
  | { kind: "answered"; request: HelpRequest; answer: HelpAnswer }
  | { kind: "failed"; error: unknown };

/** Asks the organization's model. Leaving the page, or asking something else, cancels the question before. */
export function useHelp() {
  const [state, setState] = useState<HelpState>({ kind: "idle" });
  const current = useRef<{ stop: () => void }>(undefined);
  const stop = useCallback(() => {
    current.current?.stop();
    current.current = undefined;
  }, []);
  useEffect(() => stop, [stop]);

  const ask = (request: HelpRequest) => {
    stop();
    const leaving = new AbortController();
    let unsubscribe = () => {};
    current.current = {
      stop: () => {
        leaving.abort();
        unsubscribe();
      },
    };
    const show = (next: HelpState) => {
      if (!leaving.signal.aborted) setState(next);
    };
    const fail = (error: unknown) => show({ kind: "failed", error });
    show({ kind: "busy", request, progress: undefined });
    api.sqlHelp.ask
      .mutate(request, { signal: leaving.signal })
      .then(({ id }) => {
        if (leaving.signal.aborted) return;
        ({ unsubscribe } = api.sqlHelp.answer.subscribe(
          { id },
          {
            onData: (progress) =>
              show(
                progress.stage === "answered"
                  ? { kind: "answered", request, answer: progress }
                  : { kind: "busy", request, progress },
              ),
            onError: fail,
            // The used tokens have changed.
            onStopped: () => void queryClient.invalidateQueries(trpc.models.pathFilter()),
          },
        ));
      })
      .catch(fail);
  };
  const reset = () => {
    stop();
    setState({ kind: "idle" });
  };
  return { state, ask, reset };
}
