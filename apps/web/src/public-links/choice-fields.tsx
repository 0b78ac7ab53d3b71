import { Checkbox, Fieldset, Stack, Text, TextInput } from "@mantine/core";
import type { ParameterDefinition, ParameterInputs } from "@querybell/domain";
import { countPages, maxPublishedPages } from "@querybell/domain/published-pages";
import { Suspense } from "react";
import { pluralize } from "../format/pluralize.ts";
import { labelOf, toItems, toListText, yesAndNo } from "../parameters/parameter-values.ts";
import { lazyPart } from "../ui/lazy-part.tsx";
import type { PublicLink } from "./public-link-item.tsx";

const ChoiceField = lazyPart(async () => (await import("../parameters/choice-field.tsx")).ChoiceField);

/**
 * What visitors choose, as it is typed, by the name of the parameter. A missing one has its default on the page.
 * `defaultAt` is the place of the default among the values: the first value is shown first. Null: it is none of them.
 */
export type TypedChoices = Readonly<Record<string, { text: string; defaultAt: number | null }>>;

export const toTypedChoices = (choices: PublicLink["choices"]): TypedChoices =>
  Object.fromEntries(
    choices.map(({ name, values }) => {
      const at = values.indexOf("");
      const text = toListText(values.filter((value) => value !== ""));
      return [name, { text, defaultAt: at === -1 ? null : at }];
    }),
  );

/** As the api takes them. An empty text stands for the default. */
export const toPublishedChoices = (typed: TypedChoices): PublicLink["choices"] =>
  Object.entries(typed).map(([name, { text, defaultAt }]) => {
    const items = [...new Set(toItems(text).filter((item) => item !== ""))];
    return { name, values: defaultAt === null ? items : items.toSpliced(defaultAt, 0, "") };
  });

/** Null if these choices can be published. */
export function choicesProblem(typed: TypedChoices): string | null {
  const choices = toPublishedChoices(typed);
  if (choices.some(({ values }) => values.length === 0)) return "Give at least one value of each.";
  const pages = countPages(choices);
  return pages > maxPublishedPages
    ? `These are ${pages} combinations of values. At most ${maxPublishedPages} can be published.`
    : null;
}

interface ChoiceFieldsProps {
  inputs: ParameterInputs;
  value: TypedChoices;
  error: string | null;
  onChange: (value: TypedChoices) => void;
}

/** Which parameters visitors of a public page choose, and among which values. */
export function ChoiceFields({ inputs, value, error, onChange }: ChoiceFieldsProps) {
  const { definitions } = inputs;
  const gone = Object.keys(value).filter((name) => !definitions.some((one) => one.name === name));
  if (definitions.length === 0 && gone.length === 0) return null;
  const pages = countPages(toPublishedChoices(value));
  const set = (name: string, one: TypedChoices[string] | undefined) => {
    const others = Object.entries(value).filter(([other]) => other !== name);
    // In the order of the parameters, which is that of the fields on the page.
    const all = new Map(one ? [...others, [name, one] as const] : others);
    const names = [...definitions.map((definition) => definition.name), ...gone].filter((known) =>
      all.has(known),
    );
    onChange(Object.fromEntries(names.map((known) => [known, all.get(known) ?? emptyChoice])));
  };
  return (
    <Fieldset legend="Visitors choose" data-path="choices" tabIndex={-1}>
      <Stack gap="sm">
        {definitions.map((definition) => (
          <OneChoice
            key={definition.name}
            definition={definition}
            inputs={inputs}
            value={value[definition.name]}
            onChange={(one) => set(definition.name, one)}
          />
        ))}
        {gone.map((name) => (
          <Checkbox
            key={name}
            checked
            label={`${name}, which is no parameter any more. Remove it to publish the page again.`}
            onChange={() => set(name, undefined)}
          />
        ))}
        {error !== null && (
          <Text size="sm" c="var(--qb-bad)" role="alert">
            {error}
          </Text>
        )}
        {Object.keys(value).length > 0 && error === null && (
          <Text size="sm" c="dimmed">
            {pluralize(pages, "combination")}: each has its own results, which are computed when you publish
            it, and by the schedule of the dashboard. Visitors see these values and no others.
          </Text>
        )}
      </Stack>
    </Fieldset>
  );
}

const emptyChoice = { text: "", defaultAt: null };

interface OneChoiceProps {
  definition: ParameterDefinition;
  inputs: ParameterInputs;
  value: TypedChoices[string] | undefined;
  onChange: (value: TypedChoices[string] | undefined) => void;
}

function OneChoice({ definition, inputs, value, onChange }: OneChoiceProps) {
  const { name, type, defaultValue } = definition;
  const label = labelOf(definition);
  const offered = type === "boolean" ? ({ kind: "list", items: yesAndNo } as const) : inputs.choices[name];
  const field = {
    label: `Published values of ${label}`,
    placeholder: offered ? "" : "values, with commas",
    size: "xs",
  } as const;
  return (
    <div>
      <Checkbox
        label={label}
        checked={value !== undefined}
        onChange={({ currentTarget }) => onChange(currentTarget.checked ? emptyChoice : undefined)}
      />
      {value && (
        <Stack gap="xs" mt="xs" ml="lg">
          {offered ? (
            <Suspense fallback={<TextInput {...field} readOnly />}>
              <ChoiceField
                {...field}
                offered={offered}
                isList
                inputs={inputs}
                values={{}}
                text={value.text}
                description={null}
                onText={(text) => onChange({ ...value, text })}
                onEnter={undefined}
                data-path={undefined}
              />
            </Suspense>
          ) : (
            <TextInput
              {...field}
              value={value.text}
              maxLength={10_000}
              onChange={({ currentTarget }) => onChange({ ...value, text: currentTarget.value })}
            />
          )}
          <Checkbox
            size="xs"
            label={defaultValue === undefined ? "Also without a value" : `Also the default, ${defaultValue}`}
            checked={value.defaultAt !== null}
            onChange={({ currentTarget }) =>
              onChange({ ...value, defaultAt: currentTarget.checked ? 0 : null })
            }
          />
        </Stack>
      )}
    </div>
  );
}
