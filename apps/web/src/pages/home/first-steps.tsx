import { Button, Group, List, Paper, Text, ThemeIcon, Title, VisuallyHidden } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { Outputs } from "@querybell/client";
import { IconCheck, IconCircle } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { api } from "../../api.ts";
import { showFailure } from "../../errors/error-notice.tsx";
import { useRefreshMe } from "../../session/me.ts";
import { HrefLink } from "../../ui/links.tsx";

type Overview = Outputs["home"]["overview"];

interface Step {
  done: boolean;
  label: string;
  href: string;
}

interface FirstStepsProps {
  overview: Overview;
  isAdmin: boolean;
}

/** The checklist of a new organization. Hidden when everything is done, and by a user who dismisses it. */
export function FirstSteps({ overview, isAdmin }: FirstStepsProps) {
  const steps = stepsOf(overview, isAdmin);
  const left = steps.filter(({ done }) => !done).length;
  const refreshMe = useRefreshMe();
  const dismiss = useMutation({
    mutationFn: () => api.me.updateFirstSteps.mutate({ hidesFirstSteps: true }),
    async onSuccess() {
      await refreshMe();
      notifications.show({ message: "The first steps are hidden. Your menu shows them again." });
    },
    onError: (error) => showFailure("Not dismissed", error),
  });
  if (left === 0) return null;
  return (
    <Paper withBorder p="lg" mb="lg" component="section" aria-labelledby="first-steps">
      <Group justify="space-between" wrap="nowrap">
        <Title order={2} size="h4" id="first-steps">
          First steps
        </Title>
        <Button variant="subtle" size="compact-sm" onClick={() => dismiss.mutate()}>
          Dismiss
        </Button>
      </Group>
      <Text c="dimmed" size="sm" mb="sm">
        {steps.length - left} of {steps.length} done
      </Text>
      <List spacing="xs" listStyleType="none" center>
        {steps.map(({ done, label, href }) => (
          <List.Item key={label} icon={<Tick done={done} />}>
            {done ? (
              <Text span c="dimmed">
                {label}
                <VisuallyHidden>: done</VisuallyHidden>
              </Text>
            ) : (
              <HrefLink href={href}>{label}</HrefLink>
            )}
          </List.Item>
        ))}
      </List>
    </Paper>
  );
}

const Tick = ({ done }: { done: boolean }) => (
  <ThemeIcon variant={done ? "filled" : "default"} size={22} radius="xl" aria-hidden>
    {done ? <IconCheck size={14} /> : <IconCircle size={14} />}
  </ThemeIcon>
);

function stepsOf({ firstSteps, webhooksEnabled }: Overview, isAdmin: boolean): Step[] {
  const { database, query, run, reference, automation, colleague, endpoint } = firstSteps;
  return [
    ...(isAdmin ? [{ done: database, label: "Connect a database", href: "/settings/databases/new" }] : []),
    { done: query, label: "Write a query", href: "/queries/new" },
    { done: run, label: "Run it", href: "/queries" },
    { done: reference, label: "Share its chart by permalink", href: "/queries" },
    { done: automation, label: "Let an automation watch it", href: "/automations/new" },
    ...(isAdmin ? [{ done: colleague, label: "Invite a colleague", href: "/settings/members" }] : []),
    ...(isAdmin && webhooksEnabled
      ? [{ done: endpoint, label: "Send webhooks to a system of yours", href: "/settings/webhooks/new" }]
      : []),
  ];
}
