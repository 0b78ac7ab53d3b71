import { Button, Group, Skeleton } from "@mantine/core";
import type { Inputs, Outputs } from "@querybell/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, queryClient, trpc } from "../../api.ts";
import { ErrorNotice, showFailure } from "../../errors/error-notice.tsx";
import { Failure } from "../../errors/failure.ts";
import { Section } from "../../ui/section.tsx";
import { DateQuestion } from "./date-question.tsx";
import { ImportForm, type ImportTarget, toPreviewInput } from "./import-form.tsx";
import { NumbersQuestion } from "./numbers-question.tsx";
import { type NumberForms, PreviewTable } from "./preview-table.tsx";
import { type Reading, ReadingChoices } from "./reading-choices.tsx";
import { UpdatePreview } from "./update-preview.tsx";

type Overview = Outputs["uploads"]["overview"];
type Preview = Outputs["uploads"]["preview"];
type Import = Inputs["uploads"]["import"];
export type ChosenType = NonNullable<Import["types"]>[string];
/** By column. A map, because a column can be named like a property of every object: toString. */
export type ChosenTypes = ReadonlyMap<string, ChosenType>;
export type DateOrder = NonNullable<Import["dateOrder"]>;

interface ImportFileProps {
  upload: Overview["waiting"][number];
  tables: Overview["tables"];
  /** Leads back to the list of files and tables. */
  onLeave: () => Promise<void>;
}

/** A waiting file: its first rows, the types of its columns, and the table that it goes into. */
export function ImportFile({ upload, tables, onLeave }: ImportFileProps) {
  const { id, fileName } = upload;
  const [types, setTypes] = useState<ChosenTypes>(new Map());
  const [dateOrder, setDateOrder] = useState<DateOrder>();
  const [reading, setReading] = useState<Reading>({});
  const [target, setTarget] = useState<ImportTarget>(newTable);
  /** Increased to show the form for the table anew. */
  const [formNumber, setFormNumber] = useState(0);
  const given = toPreviewInput(target);
  const choices = { types: Object.fromEntries(types), ...(dateOrder && { dateOrder }) };
  const preview = useQuery({
    ...trpc.uploads.preview.queryOptions({ id, reading, ...given, ...choices, answersRefusal: true }),
    // While a preview with other types is loading, the previous rows stay.
    placeholderData: (before) => before,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  /** Leaves first: without its file, this page would show that the file is missing. */
  const onFinished = async () => {
    await onLeave();
    queryClient.setQueryData(
      trpc.uploads.overview.queryKey(),
      (overview) => overview && without(overview, id),
    );
    await queryClient.invalidateQueries(trpc.uploads.pathFilter());
  };
  const discard = useMutation({
    mutationFn: () => api.uploads.discard.mutate({ id }),
    onSuccess: onFinished,
    onError: (error) => showFailure("Not discarded", error),
  });
  const hasChosen = types.size > 0 || Object.keys({ ...reading, ...given }).length > 0;
  const refusal = preview.data?.refusal;
  const isUnreadable = !hasChosen && refusal !== undefined;
  const hasChoices = Object.keys(preview.data?.reading ?? {}).length > 0;
  const changeReading = (changed: Partial<Reading>) => {
    const { numbers: _, ...others } = reading;
    setReading({ ...(changed.numbers ? reading : others), ...changed });
    // Columns may have other names then.
    if (changed.numbers === undefined) setTypes(new Map());
  };
  const changeTarget = (next: ImportTarget) => {
    const { table } = given;
    // What was chosen for the files of one table does not hold for those of another.
    if (table !== undefined && table !== toPreviewInput(next).table) {
      setReading(({ numbers: _, ...others }) => others);
      setDateOrder(undefined);
    }
    setTarget(next);
  };
  const changeNumbers = (column: string, form: NumberForms[string] | null) =>
    // What was just chosen is not in the preview yet.
    changeReading({ numbers: withForm(reading.numbers ?? preview.data?.reading.numbers, column, form) });
  return (
    <Section
      title={isUnreadable ? `${fileName} cannot be read` : `Import ${fileName}`}
      description={
        <span role="status">
          {preview.isPlaceholderData
            ? readingFile
            : refusal
              ? hasChoices
                ? tryAnother
                : undefined
              : lookAtRows}
        </span>
      }
      actions={
        <>
          <Button variant="default" onClick={() => void onLeave()}>
            Later
          </Button>
          <Button variant="default" onClick={() => discard.mutate()}>
            Discard the file
          </Button>
        </>
      }
    >
      {preview.error && <ErrorNotice error={preview.error} />}
      {refusal && (
        <RefusalNotice
          refusal={refusal}
          onHeader={(header) => changeReading({ header })}
          onGoBack={
            hasChosen
              ? () => {
                  setTypes(new Map());
                  setReading({});
                  setTarget(newTable);
                  setFormNumber(formNumber + 1);
                }
              : undefined
          }
        />
      )}
      {!preview.data && !preview.error && <Skeleton height={240} />}
      {preview.data && <ReadingChoices preview={preview.data} onChange={changeReading} />}
      {preview.data && refusal?.column !== undefined && (
        <NumbersQuestion
          preview={preview.data}
          column={refusal.column}
          isReading={preview.isPlaceholderData}
          mayBeText={mayBeText(tables, target, refusal.column)}
          onNumbers={(form) => changeNumbers(refusal.column ?? "", form)}
        />
      )}
      {preview.data && !refusal && (
        <>
          <PreviewTable
            // What was offered for a column holds only while the file is read alike.
            key={JSON.stringify({ ...preview.data.reading, numbers: undefined })}
            preview={preview.data}
            types={types}
            onType={(column, type) => setTypes(withType(types, column, type))}
            onNumbers={changeNumbers}
          />
          <DateQuestion
            columns={preview.data.ambiguousDates}
            order={dateOrder ?? preview.data.dateOrder}
            isRemembered={dateOrder === undefined && preview.data.dateOrder !== undefined}
            onOrder={setDateOrder}
          />
        </>
      )}
      {preview.data && (!refusal || refusal.column !== undefined) && (
        <ImportForm
          key={formNumber}
          id={id}
          choices={{ ...choices, reading: { ...reading, ...confirmed(preview.data) } }}
          suggestedTable={preview.data.suggestedTable}
          columns={preview.data.columns.map(({ name }) => name)}
          tables={tables}
          onTarget={changeTarget}
          isReadable={!refusal}
          onImported={onFinished}
        >
          <UpdatePreview preview={preview.data} isOutdated={preview.isPlaceholderData} />
        </ImportForm>
      )}
    </Section>
  );
}

const newTable: ImportTarget = { mode: "create", existing: null, key: [] };

/** Rows can be added to a column of numbers only as numbers. A table that is replaced can get any columns. */
function mayBeText(tables: Overview["tables"], { mode, existing }: ImportTarget, column: string): boolean {
  if (mode === "create" || mode === "replace") return true;
  const stored = tables.find(({ name }) => name === existing)?.columns;
  return stored?.find(({ name }) => fold(name) === fold(column))?.type === "VARCHAR";
}

/** Names of columns do not distinguish upper and lower case, nor the two ways to write é. */
const fold = (name: string): string => name.normalize("NFC").toLowerCase();

const readingFile = "Reading the file…";
const lookAtRows = "Look at the first rows. Where something was read wrong, choose another way to read it.";
const tryAnother = "Choose another way to read it, or correct the file and upload it again.";

interface RefusalNoticeProps {
  refusal: NonNullable<Preview["refusal"]>;
  onHeader: (line: number) => void;
  /** Takes back what was chosen. */
  onGoBack: (() => void) | undefined;
}

/** Why a file cannot be read, and what can be tried. */
const RefusalNotice = ({ refusal, onHeader, onGoBack }: RefusalNoticeProps) => {
  const { message, suggestedHeader } = refusal;
  return (
    <>
      <ErrorNotice error={new Failure(message)} />
      <Group mb="md">
        {suggestedHeader !== undefined && (
          <Button variant="default" onClick={() => onHeader(suggestedHeader)}>
            Read the names from line {suggestedHeader}
          </Button>
        )}
        {onGoBack && (
          <Button variant="default" onClick={onGoBack}>
            Go back to what was guessed
          </Button>
        )}
      </Group>
    </>
  );
};

const without = (overview: Overview, id: string): Overview => ({
  ...overview,
  waiting: overview.waiting.filter((one) => one.id !== id),
});

/** What the page shows and the file does not: importing it says that it is right. */
const confirmed = ({ reading, questions }: Preview): Reading => ({
  ...Object.fromEntries(questions.map(({ about }) => [about, reading[about]])),
  numbers: reading.numbers ?? {},
});

/** Null restores the guessed type. */
function withType(types: ChosenTypes, column: string, type: ChosenType | null): ChosenTypes {
  const others = [...types].filter(([name]) => name !== column);
  return new Map(type === null ? others : [...others, [column, type]]);
}

/** Null reads the column as text. */
const withForm = (numbers: NumberForms = {}, column: string, form: NumberForms[string] | null): NumberForms =>
  Object.fromEntries([
    ...Object.entries(numbers).filter(([name]) => name !== column),
    ...(form === null ? [] : [[column, form] as const]),
  ]);
