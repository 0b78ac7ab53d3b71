import { Button, Code, NativeSelect, PasswordInput, Stack, Switch, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import type { Outputs } from "@querybell/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, queryClient, trpc } from "../../api.ts";
import { ErrorNotice, showFailure } from "../../errors/error-notice.tsx";
import { useMe } from "../../session/me.ts";
import { ActionForm } from "../../ui/action-form.tsx";
import { ConfirmModal } from "../../ui/confirm-modal.tsx";
import { CodeBlock } from "../../ui/copyable.tsx";
import { Item, ItemList } from "../../ui/item-list.tsx";
import { Section } from "../../ui/section.tsx";
import { Tag } from "../../ui/tag.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";
import { Provisioning } from "./provisioning.tsx";

type State = Outputs["singleSignOn"]["get"];
type Domain = State["domains"][number];

const refresh = () => queryClient.invalidateQueries(trpc.singleSignOn.pathFilter());
const onError = (error: unknown) => showFailure("Not changed", error);

/** Single sign-on, domains and provisioning: set up by owners. */
export function SingleSignOn() {
  const { organization } = useMe();
  const { data: state, error, refetch } = useQuery(trpc.singleSignOn.get.queryOptions());
  if (error && !state) return <ErrorNotice error={error} onRetry={refetch} />;
  if (!state) return null;
  if (organization.role !== "owner") {
    return (
      <Section title="Single sign-on">
        <Text>
          {state.provider ? `People sign in with ${state.provider.issuer}.` : "It is not set up."} Only owners
          change it.
        </Text>
      </Section>
    );
  }
  return (
    <>
      <Domains domains={state.domains} />
      <Provider key={state.provider?.issuer} state={state} />
      <Provisioning />
    </>
  );
}

function Domains({ domains }: { domains: Domain[] }) {
  const form = useForm({
    initialValues: { domain: "" },
    validate: { domain: (domain) => (domain.trim() === "" ? "Enter a domain." : null) },
  });
  const check = useMutation({
    mutationFn: (id: string) => api.singleSignOn.checkDomain.mutate({ id }),
    onSuccess: refresh,
  });
  const remove = useMutation({
    mutationFn: (id: string) => api.singleSignOn.removeDomain.mutate({ id }),
    onSuccess: refresh,
    onError,
  });
  return (
    <Section
      title="Domains"
      description="A domain that is proven by a TXT record: its addresses get an account at their first sign-in through your provider, and can be provisioned."
    >
      {domains.length > 0 && (
        <ItemList label="Domains">
          {domains.map(({ id, domain, record, provenAt }) => (
            <Item
              key={id}
              title={
                <>
                  {domain} {provenAt ? <Tag tone="good">Proven</Tag> : <Tag tone="warn">Not proven yet</Tag>}
                </>
              }
              actions={
                <>
                  {provenAt === null && (
                    <Button
                      variant="default"
                      size="xs"
                      aria-label={`Check ${domain}`}
                      onClick={() => check.mutate(id)}
                    >
                      Check
                    </Button>
                  )}
                  <Button
                    variant="default"
                    size="xs"
                    aria-label={`Remove ${domain}`}
                    onClick={() => remove.mutate(id)}
                  >
                    Remove
                  </Button>
                </>
              }
            >
              {provenAt ? (
                <span>
                  Since <Timestamp at={provenAt} format="date" />
                </span>
              ) : (
                <span>
                  Add a TXT record named <Code>{record.name}</Code> with the value <Code>{record.value}</Code>
                </span>
              )}
            </Item>
          ))}
        </ItemList>
      )}
      {check.error && <ErrorNotice error={check.error} />}
      <ActionForm
        form={form}
        submit={{ label: "Add the domain", busy: "Adding it…" }}
        onSubmit={async ({ domain }) => {
          await api.singleSignOn.addDomain.mutate({ domain });
          form.reset();
          await refresh();
        }}
      >
        <TextInput
          label="Domain"
          placeholder="example.com"
          maw="24rem"
          my="md"
          {...form.getInputProps("domain")}
        />
      </ActionForm>
    </Section>
  );
}

const roleChoices = [
  { value: "viewer", label: "Viewer" },
  { value: "member", label: "Member" },
  { value: "admin", label: "Admin" },
];

function Provider({ state }: { state: State }) {
  const { provider, redirectUrl } = state;
  const [isRemoving, setIsRemoving] = useState(false);
  const form = useForm({
    initialValues: {
      issuer: provider?.issuer ?? "",
      clientId: provider?.clientId ?? "",
      clientSecret: "",
      defaultRole: provider?.defaultRole ?? ("member" as const),
      groupsClaim: provider?.groupsClaim ?? "groups",
      adminGroups: provider?.adminGroups.join(", ") ?? "",
    },
    validate: {
      issuer: (issuer) => (issuer.trim() === "" ? "Enter the issuer’s URL." : null),
      clientId: (id) => (id.trim() === "" ? "Enter the client’s id." : null),
    },
  });
  return (
    <Section
      title="Single sign-on"
      description="With a provider of identities that speaks OpenID Connect, such as Okta, Entra, Google or Keycloak."
      actions={
        provider && (
          <Button variant="default" size="xs" onClick={() => setIsRemoving(true)}>
            Remove the provider
          </Button>
        )
      }
    >
      {redirectUrl && (
        <Stack gap={4} mb="md">
          <Text size="sm">Register this address at the provider, as the redirect URI:</Text>
          <CodeBlock code={redirectUrl} what="the redirect URI" />
        </Stack>
      )}
      <ActionForm
        form={form}
        submit={{ label: "Save the provider", busy: "Asking the provider…" }}
        onSubmit={async ({ clientSecret, adminGroups, ...values }) => {
          await api.singleSignOn.save.mutate({
            ...values,
            ...(clientSecret !== "" && { clientSecret }),
            adminGroups: adminGroups
              .split(",")
              .map((group) => group.trim())
              .filter((group) => group !== ""),
          });
          await refresh();
          notifications.show({ message: "The provider is saved." });
        }}
      >
        <Stack maw="28rem" mb="md">
          <TextInput
            label="Issuer"
            placeholder="https://login.example.com"
            {...form.getInputProps("issuer")}
          />
          <TextInput label="Client id" {...form.getInputProps("clientId")} />
          <PasswordInput
            label="Client secret"
            description={provider ? "Leave it empty to keep the stored one." : undefined}
            autoComplete="off"
            visibilityToggleButtonProps={{ "aria-label": "Show the secret", tabIndex: 0 }}
            {...form.getInputProps("clientSecret")}
          />
          <NativeSelect
            label="Role of new members"
            data={roleChoices}
            {...form.getInputProps("defaultRole")}
          />
          <TextInput label="Claim with the groups" {...form.getInputProps("groupsClaim")} />
          <TextInput
            label="Groups whose members are admins"
            description="Separated by commas. If it is empty, roles are changed by hand."
            {...form.getInputProps("adminGroups")}
          />
        </Stack>
      </ActionForm>
      {provider && <Enforced enforced={provider.enforced} isCurrent={state.isCurrent} />}
      <ConfirmModal
        opened={isRemoving}
        onClose={() => setIsRemoving(false)}
        title="Remove the provider?"
        action="Remove the provider"
        onConfirm={async () => {
          await api.singleSignOn.remove.mutate();
          await refresh();
        }}
      >
        Everybody who signed in through it is signed out. Members stay, and sign in with a password: whoever
        has none sets one with “Forgot password?”.
      </ConfirmModal>
    </Section>
  );
}

function Enforced({ enforced, isCurrent }: { enforced: boolean; isCurrent: boolean }) {
  const change = useMutation({
    mutationFn: (checked: boolean) => api.singleSignOn.enforce.mutate({ enforced: checked }),
    onSuccess: refresh,
    onError,
  });
  return (
    <Switch
      mt="lg"
      label="Only by single sign-on"
      description={
        isCurrent || enforced
          ? "Sessions that came another way do not open the organization. If the provider fails, the operator can help."
          : "To turn it on, sign in through the provider first: that proves that it lets you in."
      }
      checked={enforced}
      onChange={({ currentTarget }) => change.mutate(currentTarget.checked)}
    />
  );
}
