import { useDebouncedValue } from "@mantine/hooks";
import { createSpotlight, Spotlight } from "@mantine/spotlight";
import type { Outputs } from "@querybell/client";
import {
  IconBolt,
  IconChartLine,
  IconFileTypeSql,
  IconLayoutDashboard,
  IconLayoutSidebar,
  IconRobot,
  IconSearch,
} from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { trpc } from "../../api.ts";
import { showFailure } from "../../errors/error-notice.tsx";
import { toFailure } from "../../errors/failure.ts";
import { automationHref, dashboardHref, queryHref, referenceHref } from "../../format/addresses.ts";
import { kindWords } from "../../library/items.ts";
import { type Command, useCommands } from "./commands.ts";

type Hit = Outputs["search"]["find"]["items"][number];

const [store, { open }] = createSpotlight();

const noHits: Hit[] = [];

const icons = {
  query: IconFileTypeSql,
  reference: IconChartLine,
  automation: IconRobot,
  dashboard: IconLayoutDashboard,
};

function hrefOf(hit: Hit): string {
  switch (hit.kind) {
    case "query":
      return queryHref(hit.id);
    case "reference":
      return referenceHref(hit.shortId);
    case "automation":
      return automationHref(hit.id);
    case "dashboard":
      return dashboardHref(hit.id);
  }
}

/** The commands with all these words: first those that have them in their label, then those that need their keywords. */
function findCommands(commands: Command[], words: string[]): Command[] {
  const has = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  const byLabel = commands.filter(({ label }) => has(label));
  const others = commands.filter(({ label, keywords = "" }) => !has(label) && has(`${label} ${keywords}`));
  return [...byLabel, ...others];
}

/** The palette is closed when a command fails, so the error is shown as a notification. */
async function runCommand(label: string, run: Command["run"]): Promise<void> {
  try {
    await run();
  } catch (error) {
    showFailure(`“${label}” did not work`, error);
  }
}

const searching = "Searching…";

/** Shown when neither a command nor a hit has the words. */
function emptyText(data: unknown, error: unknown): string {
  if (data) return "Nothing has these words. Try fewer, or the beginning of one.";
  return error ? toFailure(error).message : searching;
}

/** Selects the first entry. Spotlight does so only when the text changes, not when entries arrive later. */
function selectFirst(): void {
  const list = document.getElementById(store.getState().listId);
  list?.querySelector("[data-selected]")?.removeAttribute("data-selected");
  list?.querySelector("[data-action]")?.setAttribute("data-selected", "true");
  store.updateState((state) => ({ ...state, selected: 0 }));
}

/** Searches queries, charts, automations and pages, and runs commands. Opens each time `openCount` changes. */
export function Palette({ openCount }: { openCount: number }) {
  const router = useRouter();
  const commands = useCommands();
  const [text, setText] = useState("");
  const [asked] = useDebouncedValue(text.trim(), 150);
  const { data, error } = useQuery({
    ...trpc.search.find.queryOptions({ text: asked, limit: 12 }),
    enabled: asked !== "",
  });
  useEffect(() => open(), [openCount]);

  // Hits of an earlier text are not shown, because Enter opens the first one.
  const isCurrent = asked === text.trim();
  const hits = (isCurrent && data?.items) || noHits;
  useEffect(() => {
    if (hits.length > 0) selectFirst();
  }, [hits]);
  const words = text.trim().toLowerCase().split(/\s+/);
  const found = findCommands(commands, words);
  const groups = ["Pages", "Commands"] as const;
  return (
    <Spotlight.Root
      store={store}
      query={text}
      onQueryChange={setText}
      shortcut={null}
      scrollable
      maxHeight={420}
      attributes={{ content: { "aria-label": "Search and commands" } }}
    >
      <Spotlight.Search
        placeholder="Search queries, charts, dashboards, automations, or run a command"
        aria-label="Search or run a command"
        leftSection={<IconSearch size={18} stroke={1.7} />}
      />
      <Spotlight.ActionsList>
        {hits.length > 0 && (
          <Spotlight.ActionsGroup label="Found">
            {hits.map((hit) => {
              const Icon = icons[hit.kind];
              return (
                <Spotlight.Action
                  key={hit.id}
                  label={hit.title}
                  description={
                    hit.detail === "" || hit.detail === hit.title
                      ? kindWords[hit.kind].one
                      : `${kindWords[hit.kind].one} · ${hit.detail}`
                  }
                  leftSection={<Icon size={18} stroke={1.7} />}
                  onClick={() => router.navigate({ href: hrefOf(hit) })}
                />
              );
            })}
          </Spotlight.ActionsGroup>
        )}
        {groups.map((group) => {
          const ofGroup = found.filter((one) => one.group === group);
          if (ofGroup.length === 0) return null;
          const Icon = group === "Pages" ? IconLayoutSidebar : IconBolt;
          return (
            <Spotlight.ActionsGroup key={group} label={group}>
              {ofGroup.map(({ label, run }) => (
                <Spotlight.Action
                  key={label}
                  label={label}
                  leftSection={<Icon size={18} stroke={1.7} />}
                  onClick={() => void runCommand(label, run)}
                />
              ))}
            </Spotlight.ActionsGroup>
          );
        })}
        {hits.length === 0 && found.length === 0 && (
          <Spotlight.Empty>{isCurrent ? emptyText(data, error) : searching}</Spotlight.Empty>
        )}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}
