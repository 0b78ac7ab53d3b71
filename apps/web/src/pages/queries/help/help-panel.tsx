import { Button, CloseButton, Group, Paper, Stack, Text, Textarea, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { trpc } from "../../../api.ts";
import type { EngineKind } from "../../../engines/engine.ts";
import { ErrorNotice } from "../../../errors/error-notice.tsx";
import { isEnter } from "../../../shortcuts/is-enter.ts";
import { ReviewSql } from "../../../sql/review-sql.tsx";
import { Waiting } from "../schema/waiting.tsx";
import type { Statement } from "../statement.ts";
import { useStatementValue } from "../use-statement.ts";
import classes from "./help-panel.module.css";
import { type HelpAnswer, useHelp } from "./use-help.ts";

interface HelpPanelProps {
  statement: Statement;
  databaseId: string;
  engine: EngineKind;
  /** The schema that is chosen where tables are listed by schema. */
  schema: string | undefined;
  /** Why the latest run of the statement failed. */
  error: string | undefined;
  /** Replaces the statement in the editor. */
  onAccept: (sql: string) => void;
  /** Whether a suggestion is shown in place of the editor. */
  onReview: (isReviewing: boolean) => void;
  onClose: () => void;
}

/** An engine may repeat the whole statement in its message. */
const maxErrorLength = 2000;

const isEmptyOf = ({ sql }: Statement): boolean => sql.trim() === "";

/** Asks the organization's model about the statement, and shows its answer: text, or a changed statement to accept. */
export function HelpPanel(props: HelpPanelProps) {
  const { statement, databaseId, engine, schema, error, onAccept, onReview, onClose } = props;
  const [question, setQuestion] = useState("");
  const isEmpty = useStatementValue(statement, isEmptyOf);
  const { state, ask, reset } = useHelp();
  const titleId = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const isBusy = state.kind === "busy";
  const common = {
    analyticalDatabaseConfigId: databaseId,
    ...(schema !== undefined && { schema }),
  };
  const write = () => {
    if (question.trim() !== "" && !isBusy) ask({ kind: "write", ...common, question, sql: statement.sql });
  };
  const suggestion = state.kind === "answered" ? state.answer.sql : null;
  const isReviewing = suggestion !== null;
  useEffect(() => onReview(isReviewing), [onReview, isReviewing]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isEnter(event) || event.shiftKey) return;
    event.preventDefault();
    write();
  };
  const leave = () => {
    reset();
    field.current?.focus();
  };
  return (
    <Paper withBorder p="sm" component="section" aria-labelledby={titleId}>
      <Stack gap="xs">
        <Group justify="space-between">
          <Title order={2} size="h5" id={titleId}>
            Help with SQL
          </Title>
          <CloseButton aria-label="Close the help" onClick={onClose} />
        </Group>
        <Textarea
          ref={field}
          label="What do you want to know?"
          description={<WhatIsSent />}
          placeholder="Revenue by month, for the last year"
          autosize
          minRows={1}
          maxRows={5}
          maxLength={2000}
          value={question}
          onChange={(event) => setQuestion(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <Group gap="xs">
          <Button size="xs" aria-disabled={isBusy || question.trim() === ""} onClick={write}>
            Write it
          </Button>
          {!isEmpty && (
            <>
              <Button
                size="xs"
                variant="default"
                aria-disabled={isBusy}
                onClick={() => isBusy || ask({ kind: "explain", ...common, sql: statement.sql })}
              >
                Explain it
              </Button>
              {error !== undefined && (
                <Button
                  size="xs"
                  variant="default"
                  aria-disabled={isBusy}
                  onClick={() =>
                    isBusy ||
                    ask({ kind: "fix", ...common, sql: statement.sql, error: error.slice(0, maxErrorLength) })
                  }
                >
                  Fix this error
                </Button>
              )}
              <Button
                size="xs"
                variant="default"
                aria-disabled={isBusy}
                onClick={() => isBusy || ask({ kind: "faster", ...common, sql: statement.sql })}
              >
                Make it faster
              </Button>
            </>
          )}
        </Group>
        {state.kind === "failed" && <ErrorNotice error={state.error} />}
        {state.kind === "busy" && (
          <>
            <Waiting onCancel={leave}>{stages[state.progress?.stage ?? "reading"]}</Waiting>
            {state.progress?.stage === "writing" && <AnswerText text={state.progress.text} />}
          </>
        )}
        {state.kind === "answered" && (
          <Answer
            answer={state.answer}
            before={statement.sql}
            engine={engine}
            onAccept={(sql) => {
              reset();
              onAccept(sql);
            }}
            onReject={leave}
          />
        )}
      </Stack>
    </Paper>
  );
}

const stages = {
  reading: "Reading the schema…",
  waiting: "Waiting for the model…",
  writing: "Writing…",
};

/** Says what leaves for the model's server. */
function WhatIsSent() {
  const { data } = useQuery(trpc.settings.get.queryOptions());
  const rows = data?.helpSeesRows ? "and the first rows of the tables you name" : "but no rows";
  return (
    <>
      The model sees your SQL and question, the tables and their descriptions, {rows}. Nothing runs by itself.
    </>
  );
}

/** Text of a model, shown as it is. */
const AnswerText = ({ text }: { text: string }) =>
  text === "" ? null : (
    <Text size="sm" className={classes.text ?? ""}>
      {text}
    </Text>
  );

interface AnswerProps {
  answer: HelpAnswer;
  before: string;
  engine: EngineKind;
  onAccept: (sql: string) => void;
  onReject: () => void;
}

/** The answer. A suggested statement is accepted or rejected; the focus is on the first button. */
function Answer({ answer: { text, sql }, before, engine, onAccept, onReject }: AnswerProps) {
  const region = useRef<HTMLElement>(null);
  const accept = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const panel = region.current?.closest("section[aria-labelledby]");
    // Not while somebody types elsewhere.
    if (document.activeElement === document.body || panel?.contains(document.activeElement))
      (accept.current ?? region.current)?.focus();
  }, []);
  return (
    <section
      ref={region}
      aria-label="Answer"
      tabIndex={-1}
      className={classes.answer}
      onKeyDown={(event) => {
        if (event.key === "Escape") onReject();
      }}
    >
      <AnswerText
        text={text === "" && sql === null ? "The model wrote nothing. Ask in another way." : text}
      />
      {sql !== null && (
        <>
          <div className={classes.review}>
            <ReviewSql before={before} after={sql} engine={engine} label="Suggested SQL" />
          </div>
          <Group gap="xs">
            <Button ref={accept} size="xs" onClick={() => onAccept(sql)}>
              Accept
            </Button>
            <Button size="xs" variant="default" onClick={onReject}>
              Reject
            </Button>
            <Text size="xs" c="dimmed">
              Enter accepts, Escape rejects. It is not run.
            </Text>
          </Group>
        </>
      )}
    </section>
  );
}
