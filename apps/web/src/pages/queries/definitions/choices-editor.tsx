import { ActionIcon, Button, Group, MultiSelect, Select, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import type { Choices, ParameterDefinition } from "@querybell/domain";
import { findOpenPlaceholders } from "@querybell/statements/tokenizer";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, useRef, useState } from "react";
import { api, trpc } from "../../../api.ts";
import { toFailure } from "../../../errors/failure.ts";
import { findValueError } from "../../../parameters/value-errors.ts";
import { isEnter } from "../../../shortcuts/is-enter.ts";
import { queryTitle } from "../query-title.ts";

type ListChoices = Extract<Choices, { kind: "list" }>;
type QueryChoices = Extract<Choices, { kind: "query" }>;

interface ChoicesEditorProps {
  queryId: string | undefined;
  definition: ParameterDefinition;
  /** The other parameters of the query, on which the choices may depend. */
  others: readonly string[];
  offered: Choices | undefined;
  errors: Readonly<Record<string, string>>;
  onChange: (offered: Choices | undefined) => void;
}

/** Where the choices of a parameter come from: nowhere, a list, or the rows of another query. */
export function ChoicesEditor(props: ChoicesEditorProps) {
  const { queryId, definition, others, offered, errors, onChange } = props;
  const [isChoosingQuery, setChoosingQuery] = useState(false);
  const kind = offered?.kind ?? (isChoosingQuery ? "query" : "none");
  const choose = (value: string | null) => {
    setChoosingQuery(value === "query");
    onChange(value === "list" ? { kind: "list", items: [{ value: "" }] } : undefined);
  };
  const path = `choices.${definition.name}`;
  const error = Object.entries(errors).find(([at]) => at === path || at.startsWith(`${path}.`))?.[1];
  return (
    <Stack gap="xs" mt="xs">
      <Select
        label="Choices"
        allowDeselect={false}
        data={[
          { value: "none", label: "None: any value is typed" },
          { value: "list", label: "A fixed list" },
          { value: "query", label: "The rows of another query" },
        ]}
        value={kind}
        error={error ?? null}
        onChange={choose}
      />
      {offered?.kind === "list" && (
        <ListEditor definition={definition} offered={offered} onChange={onChange} />
      )}
      {kind === "query" && (
        <QueryEditor
          queryId={queryId}
          others={others}
          offered={offered?.kind === "query" ? offered : undefined}
          onChange={onChange}
        />
      )}
    </Stack>
  );
}

interface ListEditorProps {
  definition: ParameterDefinition;
  offered: ListChoices;
  onChange: (offered: ListChoices) => void;
}

function ListEditor({ definition, offered: { items }, onChange }: ListEditorProps) {
  const set = (changed: ListChoices["items"]) => onChange({ kind: "list", items: changed });
  const replace = (index: number, item: ListChoices["items"][number]) =>
    set(items.map((one, at) => (at === index ? item : one)));
  const fields = useRef<HTMLDivElement>(null);
  /** Goes on with the value of the next choice, after the last one with a new choice. */
  const goOn = (event: KeyboardEvent, index: number) => {
    if (!isEnter(event) || items[index]?.value === "") return;
    event.preventDefault();
    if (index === items.length - 1) set([...items, { value: "" }]);
    else fields.current?.querySelectorAll<HTMLInputElement>("input[data-value]")[index + 1]?.focus();
  };
  return (
    <Stack gap={4} ref={fields}>
      {items.map((item, index) => (
        <Group key={index} gap="xs" wrap="nowrap" align="flex-start">
          <TextInput
            size="xs"
            flex={1}
            aria-label={`Value of choice ${index + 1}`}
            data-value
            // A choice that was just added is typed next.
            autoFocus={item.value === ""}
            onKeyDown={(event) => goOn(event, index)}
            placeholder="Value"
            value={item.value}
            maxLength={1000}
            error={item.value === "" ? null : (findItemError(definition, item.value) ?? null)}
            onChange={(event) => replace(index, { ...item, value: event.currentTarget.value })}
            onPaste={(event) => {
              const lines = event.clipboardData.getData("text").split(/\r?\n/).filter(Boolean);
              if (lines.length < 2) return;
              event.preventDefault();
              set([
                ...items.slice(0, index),
                ...lines.map((value) => ({ value })),
                ...items.slice(index + 1),
              ]);
            }}
          />
          <TextInput
            size="xs"
            flex={1}
            aria-label={`Label of choice ${index + 1}`}
            onKeyDown={(event) => goOn(event, index)}
            placeholder="Label, if it is another"
            value={item.label ?? ""}
            maxLength={200}
            onChange={(event) => {
              const label = event.currentTarget.value;
              replace(index, { value: item.value, ...(label !== "" && { label }) });
            }}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Remove choice ${index + 1}`}
            disabled={items.length === 1}
            onClick={() => set(items.filter((_, at) => at !== index))}
          >
            <IconTrash size={16} />
          </ActionIcon>
        </Group>
      ))}
      <Group gap="xs">
        <Button
          variant="default"
          size="compact-xs"
          leftSection={<IconPlus size={12} />}
          onClick={() => set([...items, { value: "" }])}
        >
          Add a choice
        </Button>
        <Text size="xs" c="dimmed">
          Enter adds another one. Paste several lines to add them all.
        </Text>
      </Group>
    </Stack>
  );
}

/** A choice of a list is one of its items. */
const findItemError = (definition: ParameterDefinition, value: string): string | undefined => {
  if (definition.type === "string[]") return undefined;
  return findValueError(definition, value);
};

interface QueryEditorProps {
  queryId: string | undefined;
  others: readonly string[];
  offered: QueryChoices | undefined;
  onChange: (offered: QueryChoices) => void;
}

/** Chooses a query by its name or its SQL, its columns, and the parameters whose values it gets. */
function QueryEditor({ queryId, others, offered, onChange }: QueryEditorProps) {
  const [typed, setTyped] = useState("");
  const [search] = useDebouncedValue(typed.trim(), 200);
  const chosen = useQuery(
    trpc.queries.get.queryOptions({ id: offered?.queryId ?? "" }, { enabled: offered !== undefined }),
  );
  const isTitle = chosen.data !== undefined && search === queryTitle(chosen.data);
  const found = useQuery(
    trpc.queries.list.queryOptions(
      { limit: 50, ...(search !== "" && !isTitle && { search: search.slice(0, 200) }) },
      { placeholderData: keepPreviousData },
    ),
  );
  const listed = (found.data?.items ?? []).filter(({ id }) => id !== queryId);
  const all = [...(chosen.data ? [chosen.data] : []), ...listed.filter(({ id }) => id !== offered?.queryId)];
  const choose = async (id: string | null) => {
    if (id === null) return;
    const { sql } = listed.find((one) => one.id === id) ?? (await api.queries.get.query({ id }));
    const names = findOpenPlaceholders(sql);
    onChange({ kind: "query", queryId: id, dependsOn: others.filter((name) => names.includes(name)) });
  };
  const setColumn = (column: "valueColumn" | "labelColumn", name: string) => {
    if (!offered) return;
    const { [column]: _, ...rest } = offered;
    onChange(name === "" ? rest : { ...rest, [column]: name });
  };
  return (
    <>
      <Select
        label="Query of the choices"
        placeholder="Type a part of its name or SQL"
        searchable
        allowDeselect={false}
        // The api filters, so the select must not.
        filter={({ options }) => options}
        data={all.map((one) => ({ value: one.id, label: queryTitle(one) }))}
        value={offered?.queryId ?? null}
        error={chosen.error ? toFailure(chosen.error).message : null}
        nothingFoundMessage={found.isFetching ? "Searching…" : "No query has these words"}
        onSearchChange={setTyped}
        onChange={(id) => void choose(id)}
      />
      {offered && (
        <Group grow align="flex-start" preventGrowOverflow={false}>
          <TextInput
            label="Column of the value"
            placeholder="The first"
            value={offered.valueColumn ?? ""}
            onChange={(event) => setColumn("valueColumn", event.currentTarget.value)}
          />
          <TextInput
            label="Column of the label"
            placeholder="The second, if there is one"
            value={offered.labelColumn ?? ""}
            onChange={(event) => setColumn("labelColumn", event.currentTarget.value)}
          />
          {others.length > 0 && (
            <MultiSelect
              label="Depends on"
              description="Their values go to the placeholders of the same names."
              inputWrapperOrder={["label", "input", "description", "error"]}
              data={[...others]}
              value={offered.dependsOn}
              onChange={(dependsOn) => onChange({ ...offered, dependsOn })}
            />
          )}
        </Group>
      )}
    </>
  );
}
