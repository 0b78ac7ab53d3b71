import { List, Skeleton, Text } from "@mantine/core";
import type { Outputs } from "@querybell/client";
import { useQuery } from "@tanstack/react-query";
import { queryClient, trpc } from "../api.ts";
import { ErrorNotice } from "../errors/error-notice.tsx";
import { pluralize } from "../format/pluralize.ts";
import { ConfirmModal } from "../ui/confirm-modal.tsx";
import { deleteItems } from "./item-actions.ts";
import { describeItems, kindWords, type NamedItem, refreshLibrary, toNamed } from "./items.ts";

interface DeleteDialogProps {
  items: readonly NamedItem[];
  opened: boolean;
  onClose: () => void;
  /** Called before the data is read again: the page of a deleted item leaves first. */
  onDeleted?: (() => unknown) | undefined;
}

/** Asks before items are deleted: names what goes with them and what depends on them. */
export function DeleteDialog({ items, opened, onClose, onDeleted }: DeleteDialogProps) {
  const input = { items: toNamed(items) };
  const dependents = useQuery(
    trpc.library.dependents.queryOptions(input, { enabled: opened && items.length > 0, staleTime: 0 }),
  );
  const remove = async () => {
    await deleteItems(items);
    await onDeleted?.();
    queryClient.removeQueries(trpc.library.get.pathFilter());
    queryClient.removeQueries(trpc.references.get.pathFilter());
    await refreshLibrary();
  };
  const [first] = items;
  const action = first && items.length === 1 ? `the ${kindWords[first.kind].one}` : describeItems(items);
  return (
    <ConfirmModal
      opened={opened}
      onClose={onClose}
      title={`Delete ${describeItems(items)}?`}
      action={`Delete ${action}`}
      onConfirm={remove}
    >
      {dependents.error && <ErrorNotice error={dependents.error} onRetry={() => void dependents.refetch()} />}
      {!dependents.data && !dependents.error && <Skeleton height={120} />}
      {dependents.data && <Consequences items={items} dependents={dependents.data} />}
    </ConfirmModal>
  );
}

interface ConsequencesProps {
  items: readonly NamedItem[];
  dependents: Outputs["library"]["dependents"];
}

function Consequences({ items, dependents }: ConsequencesProps) {
  const { references, automations, dashboards, queries } = dependents;
  const has = (kind: NamedItem["kind"]) => items.some((item) => item.kind === kind);
  const isOne = items.length === 1;
  const it = isOne ? "it" : "them";
  return (
    <>
      <List spacing="xs">
        {has("query") && <List.Item>The SQL, its versions, runs and results are deleted.</List.Item>}
        {has("query") && references.total > 0 && (
          <List.Item>
            {pluralize(references.total, "chart")} {references.total === 1 ? "goes" : "go"} too, and{" "}
            {references.total === 1 ? "its link ends" : "their links end"} for everybody:{" "}
            {named(
              references.total,
              references.first.map(({ title }) => title),
            )}
            .
          </List.Item>
        )}
        {has("reference") && !has("query") && (
          <>
            <List.Item>
              {isOne
                ? `The link /q/${references.first[0]?.shortId ?? ""} ends for everybody, and is never given out again.`
                : "Their links end for everybody, and are never given out again."}
            </List.Item>
            <List.Item>
              {isOne ? "Its chart, description" : "Their charts, descriptions"} and parameter definitions are
              lost.
            </List.Item>
          </>
        )}
        {automations.total > 0 && (
          <List.Item>
            Runs of automations that look at {it} fail until {isOne ? "it is" : "they are"} removed there:{" "}
            {named(
              automations.total,
              automations.first.map(({ name }) => name),
            )}
            .
          </List.Item>
        )}
        {dashboards.total > 0 && (
          <List.Item>
            Dashboards that show {it} have an empty tile until {isOne ? "it is" : "they are"} removed there:{" "}
            {named(
              dashboards.total,
              dashboards.first.map(({ title }) => title),
            )}
            .
          </List.Item>
        )}
        {queries.total > 0 && (
          <List.Item>
            Queries whose choices come from {it} have none until they are defined anew:{" "}
            {named(
              queries.total,
              queries.first.map(({ name }) => name ?? "Untitled query"),
            )}
            .
          </List.Item>
        )}
        {has("dashboard") && (
          <List.Item>
            {isOne
              ? "The arrangement and its versions are"
              : "The arrangements of dashboards and their versions are"}{" "}
            deleted. The charts stay.
          </List.Item>
        )}
        {has("reference") && !has("query") && (
          <List.Item>The query stays, with its SQL, its runs and its result.</List.Item>
        )}
        {has("automation") && (
          <List.Item>
            {isOne ? "It stops" : "Automations stop"} running, and a run that goes on is stopped. Chats stay.
          </List.Item>
        )}
      </List>
      <Text mt="md" size="sm" c="dimmed">
        You can undo this for a minute.
      </Text>
    </>
  );
}

/** "A, B and 3 others". */
function named(total: number, first: string[]): string {
  const left = total - first.length;
  if (left > 0) return `${first.join(", ")} and ${pluralize(left, "other")}`;
  return first.length < 2 ? first.join("") : `${first.slice(0, -1).join(", ")} and ${first.at(-1)}`;
}
