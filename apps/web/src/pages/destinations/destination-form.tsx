import { Checkbox, Fieldset, NativeSelect, Stack, TagsInput, TextInput } from "@mantine/core";
import { type UseFormReturnType, useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { api, trpc } from "../../api.ts";
import { toFormFailure } from "../../errors/failure.ts";
import { LoadFailure } from "../../errors/not-found.tsx";
import { LoadingFrame } from "../../frame/frames.tsx";
import { ActionForm } from "../../ui/action-form.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { refreshEndpoints } from "../webhooks/endpoint-actions.tsx";
import { type Destination, destinationLabels } from "./destination-labels.ts";

/** Where the URL comes from. */
const urlHelp: Record<Exclude<Destination["kind"], "mail">, string> = {
  slack:
    "In Slack: your app, Incoming Webhooks, Add New Webhook. It begins with https://hooks.slack.com/services/.",
  teams:
    "In Teams: the channel, Workflows, “Send webhook alerts to a channel”. Copy the address that the workflow shows.",
  discord: "In Discord: the channel’s settings, Integrations, Webhooks, New Webhook, Copy Webhook URL.",
};

export function NewDestinationPage() {
  const navigate = useNavigate();
  return (
    <>
      <PageHeader
        title="Add a destination"
        description="On the next page you can send a test message. Then choose it in the form of an automation."
      />
      <DestinationForm
        submit={{ label: "Add the destination", busy: "Adding it…" }}
        onSubmit={async (values) => {
          const { kind, name, url, addresses } = values;
          const { id } = await api.destinations.create.mutate(
            kind === "mail"
              ? { kind, name, addresses, rowRecipients: toRowRecipients(values) }
              : { kind, name, url: url.trim() },
          );
          await refreshEndpoints();
          await navigate({ to: "/settings/destinations/$destinationId", params: { destinationId: id } });
        }}
      />
    </>
  );
}

const route = getRouteApi("/app/settings/destinations/$destinationId/edit");

export function EditDestinationPage() {
  const { destinationId: id } = route.useParams();
  const navigate = useNavigate();
  const { data: destination, error, refetch } = useQuery(trpc.destinations.get.queryOptions({ id }));
  if (error && !destination) return <LoadFailure error={error} onRetry={refetch} />;
  if (!destination) return <LoadingFrame />;
  return (
    <>
      <PageHeader
        title={`Edit ${destination.name}`}
        description="A new address also applies to pending messages."
      />
      <DestinationForm
        destination={destination}
        submit={{ label: "Save", busy: "Saving…" }}
        onSubmit={async (values) => {
          const { kind, name, url, addresses } = values;
          const ofMail = { addresses, rowRecipients: toRowRecipients(values) };
          const address = kind === "mail" ? ofMail : url.trim() === "" ? {} : { url: url.trim() };
          await api.destinations.update.mutate({ id, name, ...address });
          await refreshEndpoints();
          notifications.show({ message: `${name} is saved.` });
          await navigate({ to: "/settings/destinations/$destinationId", params: { destinationId: id } });
        }}
      />
    </>
  );
}

interface DestinationValues {
  kind: Destination["kind"];
  name: string;
  url: string;
  addresses: string[];
  takesRecipients: boolean;
  members: boolean;
  domains: string[];
}

const toRowRecipients = ({ takesRecipients, members, domains }: DestinationValues) =>
  takesRecipients ? { members, domains } : null;

/** The field for a path of the api's input: one for all addresses, and one for all domains. */
const toField = (path: string): string =>
  path.replace(/^rowRecipients\./, "").replace(/^(addresses|domains)\.\d+$/, "$1");

interface DestinationFormProps {
  /** Undefined for a new one. */
  destination?: Destination;
  submit: { label: string; busy: string };
  onSubmit: (values: DestinationValues) => Promise<unknown>;
}

function DestinationForm({ destination, submit, onSubmit }: DestinationFormProps) {
  const form = useForm<DestinationValues>({
    initialValues: {
      kind: destination?.kind ?? "slack",
      name: destination?.name ?? "",
      url: "",
      addresses: destination?.addresses ?? [],
      takesRecipients: destination?.rowRecipients !== null && destination?.rowRecipients !== undefined,
      members: destination?.rowRecipients?.members ?? true,
      domains: destination?.rowRecipients?.domains ?? [],
    },
    validate: {
      name: (name) => (name.trim() === "" ? "Give it a name." : null),
      url: (url, { kind }) => {
        if (kind === "mail" || (destination && url.trim() === "")) return null;
        return URL.canParse(url.trim()) ? null : "Enter the whole address, with https://.";
      },
      addresses: (addresses, { kind }) =>
        kind === "mail" && addresses.length === 0 ? "Enter at least one address." : null,
    },
  });
  const { kind } = form.values;
  return (
    <ActionForm
      form={form}
      submit={submit}
      onSubmit={(values) =>
        onSubmit(values).catch((error: unknown) => Promise.reject(toFormFailure(error, toField)))
      }
    >
      <Stack maw="44rem" mb="lg">
        {!destination && (
          <NativeSelect
            label="Where"
            data={Object.entries(destinationLabels).map(([value, label]) => ({ value, label }))}
            {...form.getInputProps("kind")}
          />
        )}
        <TextInput
          label="Name"
          description="What members see when they choose it, like the name of the channel."
          maxLength={100}
          {...form.getInputProps("name")}
        />
        {kind === "mail" ? (
          <>
            <TagsInput
              label="Mail addresses"
              description="At most 20. Each gets every message; press Enter after an address."
              maxTags={20}
              acceptValueOnBlur
              splitChars={[",", ";", " "]}
              {...form.getInputProps("addresses")}
            />
            <RowRecipientsField form={form} />
          </>
        ) : (
          <TextInput
            label="Webhook URL"
            type="url"
            description={`${urlHelp[kind]} Stored encrypted, and never shown again.${destination ? " Empty: it stays as it is." : ""}`}
            maxLength={2048}
            autoComplete="off"
            {...form.getInputProps("url")}
          />
        )}
      </Stack>
    </ActionForm>
  );
}

/** Whom automations may write to because a row of data names them. */
const RowRecipientsField = ({ form }: { form: UseFormReturnType<DestinationValues> }) => (
  <Fieldset legend="Addresses from rows">
    <Stack gap="sm">
      <Checkbox
        label="Automations may also write to addresses that rows of their charts name"
        description="Each address gets only its own rows. Anybody who can write such a row can name an address, so say which ones count."
        {...form.getInputProps("takesRecipients", { type: "checkbox" })}
      />
      {form.values.takesRecipients && (
        <>
          <Checkbox
            label="Members of the organization, with a proven address"
            {...form.getInputProps("members", { type: "checkbox" })}
          />
          <TagsInput
            label="All addresses of these domains"
            description="Domains that the organization has proven under Settings, Sign-in. The addresses above always count."
            acceptValueOnBlur
            splitChars={[",", ";", " "]}
            {...form.getInputProps("domains")}
          />
        </>
      )}
    </Stack>
  </Fieldset>
);
