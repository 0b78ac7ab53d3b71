import { Alert, Group, Radio, Select, Stack, Text } from "@mantine/core";
import type { Inputs, Outputs } from "@querybell/client";
import { delimiters, encodings } from "@querybell/domain/upload-formats";
import { IconLanguage } from "@tabler/icons-react";
import { NumberField } from "../../ui/number-field.tsx";

type Preview = Outputs["uploads"]["preview"];
export type Reading = NonNullable<Inputs["uploads"]["import"]["reading"]>;

interface ReadingChoicesProps {
  preview: Preview;
  onChange: (changed: Partial<Reading>) => void;
}

/** How the file is read: its sheet or encoding, what separates its values, and where its names are. */
export function ReadingChoices({ preview, onChange }: ReadingChoicesProps) {
  const { reading, remembered, questions, renamed, sheets, notes } = preview;
  const isAsked = (about: Preview["questions"][number]["about"]) =>
    questions.some((question) => question.about === about);
  const { encoding, delimiter, header, sheet } = reading;
  const line = sheet === undefined ? "Line" : "Row";
  return (
    <Stack gap="sm" mb="md">
      {isAsked("encoding") && (
        <Alert color="amber" variant="light" icon={<IconLanguage />}>
          The file is not UTF-8. Here it is read as {encoding}. Check letters such as ä, é or ł in the rows
          below. If they are wrong, choose another encoding.
        </Alert>
      )}
      <Group align="flex-start" gap="md">
        {sheet !== undefined && (
          <Select
            label="Sheet"
            size="sm"
            data={[...new Set(sheets)]}
            value={sheet}
            // The names can be in another row of another sheet.
            onChange={(chosen) => chosen !== null && onChange({ sheet: chosen, header: undefined })}
            allowDeselect={false}
          />
        )}
        {encoding !== undefined && (
          <Select
            label="Encoding"
            size="sm"
            data={[...encodings]}
            value={encoding}
            onChange={(chosen) => onChange({ encoding: encodings.find((one) => one === chosen) ?? encoding })}
            allowDeselect={false}
          />
        )}
        {delimiter !== undefined && (
          <Select
            label="Between values"
            size="sm"
            data={delimiters.map((value) => ({ value, label: delimiterNames[value] }))}
            value={delimiter}
            onChange={(chosen) =>
              onChange({ delimiter: delimiters.find((one) => one === chosen) ?? delimiter })
            }
            allowDeselect={false}
          />
        )}
        {header !== undefined && (
          <NumberField
            label={`${line} with the names`}
            description="0 if there are no names"
            inputWrapperOrder={["label", "input", "description"]}
            size="sm"
            min={0}
            max={1000}
            allowDecimal={false}
            value={header}
            onChange={(line) => line !== null && onChange({ header: line })}
          />
        )}
      </Group>
      {isAsked("header") && header !== undefined && (
        <Radio.Group<string>
          label={`What is in ${line.toLowerCase()} ${header}?`}
          description={`It can have names or values, or be a title. If the names are further down, enter the number of their ${line.toLowerCase()} above.`}
          value=""
          onChange={(value) => onChange({ header: value === "names" ? header : 0 })}
        >
          <Group mt="xs">
            <Radio value="names" label="The names of the columns" />
            <Radio value="values" label="Values: the file has no names" />
          </Group>
        </Radio.Group>
      )}
      {Object.keys(remembered).length > 0 && (
        <Text size="sm" role="status">
          Read as the files of this table before: {describeReading(remembered)}. Where that is wrong, change
          it above.
        </Text>
      )}
      {renamed.length > 0 && (
        <Text size="sm">
          {renamed
            .map(({ position, from, to }) =>
              from === ""
                ? `Column ${position} has no name in the file and is named ${to}.`
                : `Column ${position} has the name ${from} a second time and is named ${to}.`,
            )
            .join(" ")}
        </Text>
      )}
      {notes.length > 0 && <Text size="sm">{notes.join(" ")}</Text>}
    </Stack>
  );
}

/** For a sentence: names in line 3, encoding windows-1252. */
function describeReading({
  header,
  sheet,
  encoding,
  delimiter,
  numbers = {},
}: Preview["remembered"]): string {
  const line = sheet === undefined ? "line" : "row";
  const parts = [
    sheet !== undefined && `sheet ${sheet}`,
    header !== undefined && (header === 0 ? "no names" : `names in ${line} ${header}`),
    encoding && `encoding ${encoding}`,
    delimiter && `${delimiterNames[delimiter].toLowerCase()} between values`,
    ...Object.entries(numbers).map(([column, form]) => `numbers in ${column} like ${form}`),
  ];
  return parts.filter((part) => typeof part === "string").join(", ");
}

const delimiterNames = { ",": "Comma ,", ";": "Semicolon ;", "\t": "Tab", "|": "Bar |" } as const;
