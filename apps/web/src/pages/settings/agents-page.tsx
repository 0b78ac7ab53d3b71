import { Button, Code, Group, Skeleton, Tabs, Text, Title } from "@mantine/core";
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
import { OrganizationPrograms, OwnPrograms } from "../account/connected-programs.tsx";
import { type Snippet, waysToConnect } from "./mcp-snippets.ts";
import { NewKeyModal } from "./new-key-modal.tsx";

type Call = Outputs["mcpCalls"]["list"][number];

const address = `${location.origin}/mcp`;

export function AgentsPage() {
  const { isAdmin } = useMe();
  return (
    <>
      <PageHeader
        title="Agents"
        description="Programs with language models search and run queries here, read results and start automations, over the Model Context Protocol (MCP)."
      />
      <Connect />
      {isAdmin ? <OrganizationPrograms /> : <OwnPrograms />}
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
      description="You sign in, and choose what the program may do with your rights. Programs that run by themselves get a key of their own. You see below what they do."
      actions={isAdmin && <Button onClick={() => setIsCreating(true)}>Create a key</Button>}
    >
      <Group gap="xs" mb="md">
        <Text>The address is</Text>
        <Code>{address}</Code>
        <CopyButton value={address} what="the address" />
      </Group>
      {key !== undefined && (
        <Text mb="md" role="status">
          The new key stands in these texts until you leave the page.
        </Text>
      )}
      <Programs apiKey={key} />
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

function Programs({ apiKey = "qb_…" }: { apiKey: string | undefined }) {
  const { isAdmin } = useMe();
  const withKey = isAdmin ? "With an API key" : "With an API key, which an admin creates";
  const ways = waysToConnect(address, apiKey);
  return (
    <Tabs defaultValue={toId(ways[0]?.program ?? "")} keepMounted={false}>
      <Tabs.List mb="md" aria-label="Programs">
        {ways.map(({ program }) => (
          <Tabs.Tab key={program} value={toId(program)}>
            {program}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {ways.map(({ program, signIn, key }) => (
        <Tabs.Panel key={program} value={toId(program)}>
          {signIn && <Way title="By signing in" snippet={signIn} what={`the text for ${program}`} />}
          {key && <Way title={withKey} snippet={key} what={`the text for ${program} with a key`} />}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

const Way = ({ title, snippet, what }: { title: string; snippet: Snippet; what: string }) => (
  <>
    <Title order={3} size="h6" mt="md">
      {title}
    </Title>
    <Text size="sm" mb="xs">
      {snippet.steps}
    </Text>
    <CodeBlock code={snippet.code} what={what} />
  </>
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
