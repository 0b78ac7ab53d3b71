import { Select, Table, Text } from "@mantine/core";
import type { Outputs } from "@querybell/client";
import { columnTypes, numberForms } from "@querybell/domain/upload-formats";
import { useState } from "react";
import { Scrollable } from "../../ui/scrollable.tsx";
import type { ChosenType, ChosenTypes } from "./import-file.tsx";
import classes from "./preview-table.module.css";

type Preview = Outputs["uploads"]["preview"];
export type NumberForms = NonNullable<Preview["reading"]["numbers"]>;

interface PreviewTableProps {
  preview: Preview;
  types: ChosenTypes;
  /** Null: the guessed type. */
  onType: (column: string, type: ChosenType | null) => void;
  /** Null: as text. */
  onNumbers: (column: string, form: NumberForms[string] | null) => void;
}

/** The first rows of a file, with a choice of types above each column, and of forms of numbers where there are some. */
export function PreviewTable({ preview, types, onType, onNumbers }: PreviewTableProps) {
  const { columns, rows, reading } = preview;
  const offers = useOffers(preview.numberReadings);
  return (
    <Scrollable className={classes.scroll} label="First rows of the file">
      <Table withRowBorders striped="even" verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ name, type }) => (
              <Table.Th key={name}>
                <Text size="sm" fw={600}>
                  {name}
                </Text>
                <Select
                  size="xs"
                  miw="7.5rem"
                  aria-label={`Type of ${name}`}
                  data={optionsFor(types.has(name) ? undefined : type)}
                  value={types.get(name) ?? type}
                  onChange={(chosen) => onType(name, columnTypes.find((one) => one === chosen) ?? null)}
                  allowDeselect={false}
                />
                <NumbersOf
                  column={name}
                  form={reading.numbers?.[name]}
                  offers={offers.filter(({ column }) => column === name)}
                  onNumbers={(form) => onNumbers(name, form)}
                />
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row, number) => (
            <Table.Tr key={String(number)}>
              {columns.map(({ name }, index) => (
                <Table.Td key={name} className={classes.cell}>
                  {row[index] ?? (
                    <Text span c="dimmed" size="sm">
                      NULL
                    </Text>
                  )}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Scrollable>
  );
}

type Offer = Preview["numberReadings"][number];

/** What was offered. A column that is read as numbers is offered no longer, but can be read in another way. */
function useOffers(current: readonly Offer[]): readonly Offer[] {
  const [known, setKnown] = useState<readonly Offer[]>([]);
  const isKnown = ({ column, form }: Offer) =>
    known.some((offer) => offer.column === column && offer.form === form);
  const added = current.filter((offer) => !isKnown(offer));
  if (added.length === 0) return known;
  const all = [...known, ...added];
  setKnown(all);
  return all;
}

interface NumbersOfProps {
  column: string;
  form: NumberForms[string] | undefined;
  offers: readonly Offer[];
  onNumbers: (form: NumberForms[string] | null) => void;
}

const asWritten = "as written";

/** Asks whether texts such as 1.234,50 are numbers, and which. */
function NumbersOf({ column, form, offers, onNumbers }: NumbersOfProps) {
  if (form === undefined && offers.length === 0) return null;
  const offered = offers.map((offer) => ({ value: offer.form, label: `${offer.written} is ${offer.read}` }));
  const chosen =
    form && !offers.some((offer) => offer.form === form) ? [{ value: form, label: `Like ${form}` }] : [];
  return (
    <Select
      size="xs"
      mt={4}
      miw="11rem"
      aria-label={`Numbers in ${column}`}
      data={[{ value: asWritten, label: "As it is written" }, ...offered, ...chosen]}
      value={form ?? asWritten}
      onChange={(value) => onNumbers(numberForms.find((one) => one === value) ?? null)}
      allowDeselect={false}
    />
  );
}

/** The types to choose from, and the guessed one if it is another. */
const optionsFor = (guessed: string | undefined): string[] =>
  guessed === undefined || columnTypes.some((type) => type === guessed)
    ? [...columnTypes]
    : [guessed, ...columnTypes];
