import { Button, Code, Group, Skeleton, Tabs, Text } from "@mantine/core";
import type { Outputs } from "@querybell/client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { formatNumber, pluralize } from "../../format/pluralize.ts";
import { useMe } from "../../session/me.ts";
import { CodeBlock, CopyButton } from "../../ui/copyable.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Item, ItemList } from "../../ui/item-list.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Section } from "../../ui/section.tsx";
import { Tag } from "../../ui/tag.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";
import { keySnippets, type Snippet } from "./mcp-snippets.ts";
import { NewKeyModal } from "./new-key-modal.tsx";

type Call = Outputs["mcpCalls"]["list"][number];

const address = `${location.origin}/mcp`;

export function AgentsPage() {
  return (
    <>
      <PageHeader
        title="Agents"
        description="Programs with language models search and run queries here, read results and start automations, over the Model Context Protocol (MCP)."
      />
      <Connect />
      <LastCalls />
    </>
  );
}

function Connect() {
  const { isAdmin } = useMe();
  const [isCreating, setIsCreating] = useState(false);
  const [key, setKey] = useState<string>();
  return (
    <Section
      title="Connect a program"
      description="Every program gets a key of its own, with the scopes that it needs. You see below what it does."
      actions={isAdmin && <Button onClick={() => setIsCreating(true)}>Create a key</Button>}
    >
      <Group gap="xs" mb="md">
        <Text>The address is</Text>
        <Code>{address}</Code>
        <CopyButton value={address} what="the address" />
      </Group>
      {!isAdmin && <Text mb="md">Ask an admin of your organization for a key.</Text>}
      {key !== undefined && (
        <Text mb="md" role="status">
          The new key stands in these texts until you leave the page.
        </Text>
      )}
      <Snippets snippets={keySnippets(address, key ?? "qb_…")} />
      <NewKeyModal
        opened={isCreating}
        onClose={() => setIsCreating(false)}
        initialScopes={["queries:read", "queries:run", "references:read", "automations:read"]}
        onCreated={setKey}
      />
    </Section>
  );
}

/** Ids have no spaces. */
const toId = (program: string): string => program.replaceAll(" ", "-");

const Snippets = ({ snippets }: { snippets: Snippet[] }) => (
  <Tabs defaultValue={toId(snippets[0]?.program ?? "")} keepMounted={false}>
    <Tabs.List mb="md" aria-label="Programs">
      {snippets.map(({ program }) => (
        <Tabs.Tab key={program} value={toId(program)}>
          {program}
        </Tabs.Tab>
      ))}
    </Tabs.List>
    {snippets.map(({ program, steps, code }) => (
      <Tabs.Panel key={program} value={toId(program)}>
        <Text size="sm" mb="xs">
          {steps}
        </Text>
        <CodeBlock code={code} what={`the text for ${program}`} />
      </Tabs.Panel>
    ))}
  </Tabs>
);

function LastCalls() {
  const { isAdmin } = useMe();
  const {
    data: calls,
    error,
    refetch,
  } = useQuery(trpc.mcpCalls.list.queryOptions(undefined, { refetchInterval: 2_000 }));
  return (
    <Section
      title="Last calls"
      description={`What programs have called${isAdmin ? "" : " for you"}, newest first, for a week. What they asked and got is not recorded here.`}
    >
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {!calls && !error && <Skeleton height={160} />}
      {calls?.length === 0 && (
        <EmptyState title="No calls yet" description="Connect a program, and ask it something." />
      )}
      {calls && calls.length > 0 && (
        <ItemList label="Last calls">
          {calls.map((call) => (
            <CallItem key={call.id} call={call} />
          ))}
        </ItemList>
      )}
    </Section>
  );
}

const CallItem = ({ call: { tool, key, owner, rowCount, durationMs, errorCode, at } }: { call: Call }) => (
  <Item
    title={
      <>
        <Code>{tool}</Code> {errorCode !== null && <Tag tone="bad">{errorCode}</Tag>}
      </>
    }
  >
    <span>
      {key.name}, {owner.name}
    </span>
    {rowCount !== null && <span>{pluralize(rowCount, "row")}</span>}
    <span>{formatNumber(durationMs)} ms</span>
    <span>
      <Timestamp at={at} format="seconds" />
    </span>
  </Item>
);
