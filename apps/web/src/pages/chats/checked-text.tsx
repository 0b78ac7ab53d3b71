import { Text, UnstyledButton } from "@mantine/core";
import type { CheckedSentence } from "@querybell/domain";
import type { ReactNode } from "react";
import classes from "./checked-text.module.css";
import { useShowRows } from "./shown-rows.tsx";

type Part = CheckedSentence["parts"][number];

/** A sentence whose checked numbers, dates and names are buttons that show their rows. */
export function CheckedText({ sentence: { text, parts } }: { sentence: CheckedSentence }) {
  const pieces: ReactNode[] = [];
  let end = 0;
  for (const part of parts) {
    if (part.start < end) continue;
    pieces.push(text.slice(end, part.start));
    pieces.push(<PartLink key={part.start} part={part} text={text.slice(part.start, part.end)} />);
    end = part.end;
  }
  return (
    <>
      {pieces}
      {text.slice(end)}
    </>
  );
}

function PartLink({ part: { sources }, text }: { part: Part; text: string }) {
  const show = useShowRows();
  const { step = null, rows = [] } = sources.find((source) => source.step !== null) ?? {};
  if (step === null) return text;
  return (
    <UnstyledButton
      component="button"
      className={classes.part}
      title={describe(sources)}
      onClick={() => show({ step, rows })}
    >
      {text}
    </UnstyledButton>
  );
}

/** "revenue in row 2 of Revenue by month" */
const describe = (sources: Part["sources"]): string =>
  sources
    .map(({ step, title, isOwnSql, column, rows }) => {
      const which = rows.length === 1 ? `row ${rows[0]}` : `${rows.length} rows`;
      const when = step === null ? " in the run before" : "";
      return `${column ?? "number of rows"} in ${which} of ${title}${isOwnSql ? " (SQL of the model)" : ""}${when}`;
    })
    .join(", and ");

/** The model's sentences. Those that failed the check are struck through. */
export const CheckedSentences = ({ sentences }: { sentences: CheckedSentence[] }) =>
  sentences.map((sentence, index) =>
    sentence.problems.length === 0 ? (
      <Text key={index} mt={4}>
        <CheckedText sentence={sentence} />
      </Text>
    ) : (
      <div key={index}>
        <Text mt={4}>
          <del>{sentence.text}</del>
        </Text>
        <ul className={classes.problems}>
          {sentence.problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      </div>
    ),
  );
