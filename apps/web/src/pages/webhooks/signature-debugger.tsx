import { Button, Code, DataList, Group, Paper, PasswordInput, Text } from "@mantine/core";
import type { Outputs } from "@querybell/client";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { CodeBlock } from "../../ui/copyable.tsx";
import { Section } from "../../ui/section.tsx";
import { Tag } from "../../ui/tag.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";
import classes from "./signature-debugger.module.css";

type Explained = Outputs["webhookDeliveries"]["debugSignature"];

interface SignatureDebuggerProps {
  deliveryId: string;
  attempt: number;
}

/** For a receiver that rejects a signature: shows the signed bytes, and whether its secret is the right one. */
export function SignatureDebugger({ deliveryId, attempt }: SignatureDebuggerProps) {
  // The secret is only in the memory of this page, and is sent in a request body, never in a URL.
  const [secret, setSecret] = useState("");
  const debug = useMutation(trpc.webhookDeliveries.debugSignature.mutationOptions());
  return (
    <Section
      title="Does your receiver refuse the signature?"
      description="Paste the secret that your receiver has. Querybell says whether it signed this attempt, and if not, what is wrong with it."
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          debug.mutate({ deliveryId, attempt, ...(secret !== "" && { secret }) });
        }}
      >
        <Group align="flex-end" mb="md">
          <PasswordInput
            label="Your receiver’s secret (optional)"
            placeholder="whsec_…"
            autoComplete="off"
            maxLength={200}
            flex="1 1 16rem"
            maw="36rem"
            visibilityToggleButtonProps={{ "aria-label": "Show the secret", tabIndex: 0 }}
            value={secret}
            onChange={({ currentTarget }) => setSecret(currentTarget.value)}
          />
          <Button type="submit" variant="default">
            Explain the signature
          </Button>
        </Group>
      </form>
      {debug.error && <ErrorNotice error={debug.error} />}
      <div role="status">{debug.data && <Explanation explained={debug.data} />}</div>
    </Section>
  );
}

const Explanation = ({ explained }: { explained: Explained }) => (
  <>
    {explained.given && (
      <Paper withBorder p="md" mb="md">
        <Tag tone={explained.given.matches ? "good" : "bad"}>
          {explained.given.matches
            ? "This secret signed the attempt"
            : "This secret did not sign the attempt"}
        </Tag>
        <Text size="sm" mt="xs">
          {explained.given.sentence}
        </Text>
      </Paper>
    )}
    <DataList labelWidth={130} mb="md">
      <DataList.Item>
        <DataList.ItemLabel>Signature sent</DataList.ItemLabel>
        <DataList.ItemValue>
          <Code className={classes.signature ?? ""}>{explained.signature}</Code>
        </DataList.ItemValue>
      </DataList.Item>
      {explained.given?.signature && !explained.given.matches && (
        <DataList.Item>
          <DataList.ItemLabel>Yours would be</DataList.ItemLabel>
          <DataList.ItemValue>
            <Code className={classes.signature ?? ""}>{explained.given.signature}</Code>
          </DataList.ItemValue>
        </DataList.Item>
      )}
      <DataList.Item>
        <DataList.ItemLabel>Signed with</DataList.ItemLabel>
        <DataList.ItemValue>
          {explained.secret.createdAt === null ? (
            "A secret that has been removed since"
          ) : (
            <span>
              Secret of <Timestamp at={explained.secret.createdAt} format="seconds" />
            </span>
          )}
        </DataList.ItemValue>
      </DataList.Item>
    </DataList>
    <Text size="sm" mb={4}>
      Exactly these {explained.signedBytes} bytes were signed: id, timestamp and raw body, with dots between.
      If your receiver parses the body and serializes it again, the bytes differ.
    </Text>
    <CodeBlock code={explained.signedContent} what="the signed bytes" wraps />
  </>
);
