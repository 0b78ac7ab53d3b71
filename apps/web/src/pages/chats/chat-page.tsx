import { Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { toFailure } from "../../errors/failure.ts";
import { PermalinkNotFound, useIsElsewhere } from "../../errors/permalink-not-found.tsx";
import { LoadingFrame } from "../../frame/frames.tsx";
import type { AutomationRun } from "../../runs/run-state.tsx";
import { AnchorTo } from "../../ui/links.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { ChatContent, ChatState, StopButton } from "./chat-content.tsx";
import { ShownRowsProvider } from "./shown-rows.tsx";
import { useLiveChat } from "./use-live-chat.ts";

const route = getRouteApi("/app/chats/$shortId");

/** The chat of an automation run, by its permalink. Updates live until the run has ended. */
export function ChatPage() {
  const { shortId } = route.useParams();
  const named = { kind: "chat", shortId } as const;
  const isElsewhere = useIsElsewhere(named);
  const options = trpc.automationRuns.findChat.queryOptions({ shortId }, { enabled: !isElsewhere });
  const { data, error, refetch } = useQuery(options);
  if (isElsewhere) return <PermalinkNotFound named={named} />;
  if (error && toFailure(error).code === "not_found") {
    return <PermalinkNotFound named={named}>{toFailure(error).message}</PermalinkNotFound>;
  }
  if (error && !data) return <ErrorNotice error={error} onRetry={refetch} />;
  return data ? <Chat key={data.id} found={data} /> : <LoadingFrame />;
}

function Chat({ found }: { found: AutomationRun }) {
  const chat = useLiveChat(found);
  const { run } = chat;
  return (
    <ShownRowsProvider>
      <Stack maw="52rem" gap="lg">
        <PageHeader title={run.automationName} description={<ChatState run={run} />}>
          <StopButton chat={chat} />
        </PageHeader>
        <ChatContent chat={chat} />
        {!run.isTrial && (
          <Text size="sm">
            <AnchorTo to="/automations/$automationId" params={{ automationId: run.automationId }}>
              All runs of this automation
            </AnchorTo>
          </Text>
        )}
      </Stack>
    </ShownRowsProvider>
  );
}
