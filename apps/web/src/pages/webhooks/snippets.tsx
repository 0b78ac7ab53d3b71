import { receiverSnippets } from "virtual:receiver-snippets";
import { Stack, Tabs, Text } from "@mantine/core";
import { CodeBlock } from "../../ui/code-block.tsx";

/** How to receive events: install the receiver kit, and the code for each framework. */
export const Snippets = () => (
  <Stack gap="sm">
    <CodeBlock
      code={"npm install @querybell/webhook-receiver\nexport WEBHOOK_SECRET=whsec_…"}
      what="the commands"
    />
    <Text size="sm" c="dimmed">
      If your registry does not have the kit,{" "}
      <a href="/docs/webhooks#install-the-receiver-kit">pack it in Querybell’s repository</a>.
    </Text>
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
