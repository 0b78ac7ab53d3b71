import { receiverSnippets } from "virtual:receiver-snippets";
import { Group, Stack, Tabs, Text, Title } from "@mantine/core";
import type { Outputs } from "@querybell/client";
import { useEffect, useState } from "react";
import { api, queryClient, trpc } from "../../api.ts";
import { shortUrl } from "../../format/addresses.ts";
import { CodeBlock, ShownOnce } from "../../ui/copyable.tsx";
import { ButtonTo } from "../../ui/links.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { EndpointForm } from "./endpoint-form.tsx";
import { SendTest } from "./send-test.tsx";

type Created = Outputs["webhookEndpoints"]["create"];

export function NewEndpointPage() {
  const [created, setCreated] = useState<Created>();
  if (created) return <CreatedEndpoint created={created} />;
  return (
    <>
      <PageHeader
        title="Create an endpoint"
        description="The next page shows the secret with which your program verifies deliveries."
      />
      <EndpointForm
        submit={{ label: "Create the endpoint", busy: "Creating it…" }}
        onSubmit={async (settings) => {
          const endpoint = await api.webhookEndpoints.create.mutate(settings);
          await queryClient.invalidateQueries(trpc.webhookEndpoints.pathFilter());
          setCreated(endpoint);
        }}
      />
    </>
  );
}

/** Shows the new endpoint's secret once, and what to do with it. Leaving the page discards it. */
function CreatedEndpoint({ created: { id, url, secret } }: { created: Created }) {
  // The button that created it was at the end of a long form, and the secret is at the beginning of the page.
  useEffect(() => {
    // Browsers return a promise, which React would call as a clean-up.
    void scrollTo({ top: 0 });
  }, []);
  return (
    <>
      <PageHeader title="The endpoint is created" description={shortUrl(url)} />
      <ShownOnce title="Copy the secret now: it is not shown again" value={secret.secret} what="the secret">
        Give it to your program as WEBHOOK_SECRET. If you lose it, rotate it.
      </ShownOnce>
      <Title order={2} size="h4" mt="xl" mb="sm">
        Receive events
      </Title>
      <Snippets />
      <Title order={2} size="h4" mt="xl" mb="sm">
        See that it arrives
      </Title>
      <SendTest endpointId={id} />
      <Group mt="xl">
        <ButtonTo to="/settings/webhooks/endpoints/$endpointId" params={{ endpointId: id }} variant="default">
          Go to the endpoint
        </ButtonTo>
      </Group>
    </>
  );
}

/** How to receive events: install the receiver kit, and the code for each framework. */
const Snippets = () => (
  <Stack gap="sm">
    <Text size="sm" c="dimmed">
      The kit is not on npm:{" "}
      <a href="/docs/webhooks#install-the-receiver-kit">pack it in Querybell’s repository</a>, then install
      the file.
    </Text>
    <CodeBlock
      code={"npm install /tmp/querybell-webhook-receiver-*.tgz\nexport WEBHOOK_SECRET=whsec_…"}
      what="the commands"
    />
    <Tabs defaultValue={receiverSnippets[0]?.framework ?? null} keepMounted={false}>
      <Tabs.List>
        {receiverSnippets.map(({ framework }) => (
          <Tabs.Tab key={framework} value={framework}>
            {framework}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {receiverSnippets.map(({ framework, code }) => (
        <Tabs.Panel key={framework} value={framework} pt="sm">
          <CodeBlock code={code} what={`the code for ${framework}`} />
        </Tabs.Panel>
      ))}
    </Tabs>
    <Text size="sm" c="dimmed">
      <code>handler</code> is a function of yours, which is given each verified delivery. In other languages,
      follow <a href="/docs/webhooks#the-rule-for-verifying">the rule for verifying</a>.
    </Text>
  </Stack>
);
