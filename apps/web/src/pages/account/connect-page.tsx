import { Anchor, Button, Checkbox, Group, NativeSelect, Paper, Skeleton, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { Inputs, Outputs } from "@querybell/client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, trpc } from "../../api.ts";
import { ErrorNotice, showFailure } from "../../errors/error-notice.tsx";
import { useMe } from "../../session/me.ts";
import { switchOrganization } from "../../session/session-changes.ts";
import { ActionForm } from "../../ui/action-form.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { scopeLabels } from "../settings/scope-labels.ts";

type Request = Inputs["connectedPrograms"]["describeRequest"];
type Described = Outputs["connectedPrograms"]["describeRequest"];
type Asks = Extract<Described, { kind: "asks" }>;
type Refused = Extract<Described, { kind: "refused" }>;
type Approval = Inputs["connectedPrograms"]["approve"];

const names = [
  "client_id",
  "redirect_uri",
  "response_type",
  "code_challenge",
  "code_challenge_method",
  "scope",
  "state",
  "resource",
] as const;

/** Not read by the router: the program must get its state back exactly as it is. */
function readRequest(): Request {
  const given = new URLSearchParams(location.search);
  return Object.fromEntries(names.flatMap((name) => (given.has(name) ? [[name, given.get(name)]] : [])));
}

/** Where a program sends people who want to connect it: the authorization endpoint of OAuth. */
export function ConnectPage() {
  const [request] = useState(readRequest);
  const isComplete = request.client_id !== undefined && request.redirect_uri !== undefined;
  const { data, error } = useQuery(
    trpc.connectedPrograms.describeRequest.queryOptions(request, {
      enabled: isComplete,
      // The program's answer must fit what the person has read.
      staleTime: Number.POSITIVE_INFINITY,
    }),
  );
  return (
    <Stack maw="40rem">
      {!isComplete && (
        <>
          <PageHeader title="Connect a program" />
          <Text>
            Programs send you here when you connect them. This address is not complete: begin in the program.
          </Text>
        </>
      )}
      {error && (
        <>
          <PageHeader title="This program cannot be connected" />
          <ErrorNotice error={error} />
        </>
      )}
      {isComplete && !data && !error && (
        <>
          <PageHeader title="Connect a program" />
          <Skeleton height={320} />
        </>
      )}
      {data?.kind === "refused" && <RefusedRequest refused={data} />}
      {data?.kind === "asks" && <Consent request={request} asks={data} />}
    </Stack>
  );
}

const RefusedRequest = ({ refused: { program, message, returnUrl } }: { refused: Refused }) => (
  <>
    <PageHeader title={`${program.name} cannot be connected`} />
    <Text>The program has asked in a way that is not allowed: {message}</Text>
    <Group>
      <Button component="a" href={returnUrl} variant="default">
        Go back to {program.host}
      </Button>
    </Group>
  </>
);

const periods = [
  { value: "7", label: "7 days" },
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "365", label: "A year" },
];
const toDays = (value: string): Approval["days"] =>
  value === "7" ? 7 : value === "30" ? 30 : value === "365" ? 365 : 90;

function Consent({ request, asks: { program, scopes, denyUrl } }: { request: Request; asks: Asks }) {
  const [url, setUrl] = useState<string>();
  const form = useForm({
    initialValues: { scopes, days: "90" },
    validate: { scopes: (chosen) => (chosen.length === 0 ? "Choose at least one, or deny." : null) },
  });
  if (url !== undefined) {
    return (
      <>
        <PageHeader title={`${program.name} is being connected`} />
        <Text role="status">
          Your browser goes to {program.host}. If nothing happens,{" "}
          <Anchor href={url}>go there yourself</Anchor>; otherwise you can close this page.
        </Text>
      </>
    );
  }
  return (
    <>
      <PageHeader title={`Connect ${program.name}?`} />
      <Text>
        A program that calls itself <strong>{program.name}</strong> asks for access. Querybell has not checked
        who made it. Agree only if you have just begun this yourself, in a program that you trust.
      </Text>
      <Text>
        If you agree, your answer goes to <strong>{program.host}</strong>, and the program there gets access.
      </Text>
      <Paper withBorder p={{ base: "md", sm: "lg" }}>
        <ActionForm
          form={form}
          submit={{ label: "Connect", busy: "Connecting…" }}
          onSubmit={async ({ scopes: chosen, days }) => {
            const approved = await api.connectedPrograms.approve.mutate({
              request,
              scopes: chosen,
              days: toDays(days),
            });
            setUrl(approved.url);
            location.assign(approved.url);
          }}
        >
          <Stack mb="md">
            <Organization />
            <Checkbox.Group
              label="It may"
              description="With your rights, never more."
              {...form.getInputProps("scopes")}
            >
              <Stack gap="xs" mt="xs">
                {scopeLabels
                  .filter(({ value }) => scopes.includes(value))
                  .map(({ value, label, description }) => (
                    <Checkbox key={value} value={value} label={label} description={description} />
                  ))}
              </Stack>
            </Checkbox.Group>
            <NativeSelect
              label="Stays connected for"
              description="You and your admins can disconnect it earlier."
              data={periods}
              {...form.getInputProps("days")}
            />
          </Stack>
        </ActionForm>
        <Button component="a" href={denyUrl} variant="default" mt="sm">
          Deny
        </Button>
      </Paper>
    </>
  );
}

/** The organization that the program would see. Choosing another one switches the session to it. */
function Organization() {
  const { organization, memberships } = useMe();
  return (
    <NativeSelect
      label="Organization"
      data={memberships.map(({ organizationId, name }) => ({ value: organizationId, label: name }))}
      value={organization.organizationId}
      onChange={({ currentTarget: { value } }) => {
        switchOrganization(value, location.pathname + location.search).catch((failure: unknown) =>
          showFailure("Not switched", failure),
        );
      }}
    />
  );
}
