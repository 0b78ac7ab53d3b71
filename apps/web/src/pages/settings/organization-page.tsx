import { DataList, Group, NativeSelect, NumberInput, Radio, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import type { Outputs } from "@querybell/client";
import { useQuery } from "@tanstack/react-query";
import { api, queryClient, showChange, trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { pluralize } from "../../format/pluralize.ts";
import { LoadingFrame } from "../../frame/frames.tsx";
import { useRefreshMe } from "../../session/me.ts";
import { ActionForm } from "../../ui/action-form.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Section } from "../../ui/section.tsx";
import { SampleShopSection } from "../sample-shop/sample-shop-section.tsx";
import { RestCompatibility } from "./rest-compatibility.tsx";

type Settings = Outputs["settings"]["get"];

export function OrganizationPage() {
  const { data: settings, error, refetch } = useQuery(trpc.settings.get.queryOptions());
  if (error && !settings) return <ErrorNotice error={error} onRetry={refetch} />;
  if (!settings) return <LoadingFrame />;
  return (
    <>
      <PageHeader
        title="Organization"
        description={`Known to this deployment’s operator as ${settings.slug}.`}
      />
      <Name settings={settings} />
      <ResultLifetime seconds={settings.resultLifetimeSeconds} />
      <Days
        title="Expired results"
        description="How many days members still see an expired result, with its age, on the page of its chart while a new one is made. API keys and downloads never get it. 0 deletes results when they expire."
        days={settings.expiredResultDays}
        max={30}
        save={(expiredResultDays) => api.settings.update.mutate({ expiredResultDays })}
      />
      <Days
        title="Past results"
        description="How many days the results of earlier runs are kept, for the pages of charts: all of the last week, and the last of each day before. 0 keeps none."
        days={settings.historyDays}
        max={3650}
        save={(historyDays) => api.settings.update.mutate({ historyDays })}
      />
      <UploadsBy uploadsBy={settings.uploadsBy} />
      <RestCompatibility settings={settings} />
      <SampleShopSection />
      <Retention />
    </>
  );
}

function Name({ settings }: { settings: Settings }) {
  const refreshMe = useRefreshMe();
  const form = useForm({
    initialValues: { name: settings.name },
    validate: { name: (name) => (name.trim() === "" ? "Enter a name." : null) },
  });
  return (
    <Section title="Name">
      <ActionForm
        form={form}
        submit={{ label: "Save the name", busy: "Saving it…" }}
        onSubmit={async ({ name }) => {
          const saved = await api.settings.update.mutate({ name });
          showChange(trpc.settings.get.queryKey(), saved);
          await refreshMe();
          notifications.show({ message: `The organization is called ${saved.name} now.` });
        }}
      >
        <TextInput label="Name" maxLength={100} maw="28rem" mb="md" {...form.getInputProps("name")} />
      </ActionForm>
    </Section>
  );
}

function Retention() {
  const { data: retention } = useQuery(trpc.settings.retention.queryOptions());
  const days = (count: number | undefined) => (count === undefined ? "…" : pluralize(count, "day"));
  return (
    <Section
      title="How long data is kept"
      description="The operator of this deployment sets this, for all organizations."
    >
      <DataList orientation="vertical">
        <RetentionItem what="Finished webhook deliveries, with their attempts">
          at least {days(retention?.webhookHistoryDays)}
        </RetentionItem>
        <RetentionItem what="Deliveries held for a disabled endpoint">
          {days(retention?.heldDeliveryDays)}, then they are dropped
        </RetentionItem>
        <RetentionItem what="Query runs that have ended">
          {days(retention?.queryRunDays)}; the last ones of a query stay
        </RetentionItem>
        <RetentionItem what="Automation runs that have ended, with their chats">
          {days(retention?.automationRunDays)}; the last ones of an automation stay
        </RetentionItem>
        <RetentionItem what="Notifications">{days(retention?.notificationDays)}</RetentionItem>
        <RetentionItem what="Invitations that have ended">
          {days(retention?.endedInvitationDays)}
        </RetentionItem>
        <RetentionItem what="Entries of the audit log">{days(retention?.auditDays)}</RetentionItem>
      </DataList>
    </Section>
  );
}

const RetentionItem = ({ what, children }: { what: string; children: React.ReactNode }) => (
  <DataList.Item>
    <DataList.ItemLabel>{what}</DataList.ItemLabel>
    <DataList.ItemValue>{children}</DataList.ItemValue>
  </DataList.Item>
);

/** Who may upload files and change the tables made of them. */
function UploadsBy({ uploadsBy }: Pick<Settings, "uploadsBy">) {
  const form = useForm({ initialValues: { uploadsBy } });
  return (
    <Section
      title="Uploaded files"
      description="Who uploads files, and replaces and drops the tables made of them. Every member can query the tables."
    >
      <ActionForm
        form={form}
        submit={{ label: "Save who uploads", busy: "Saving it…" }}
        onSubmit={async (values) => {
          const saved = await api.settings.update.mutate(values);
          showChange(trpc.settings.get.queryKey(), saved);
          await queryClient.invalidateQueries(trpc.uploads.pathFilter());
          notifications.show({ message: "Saved." });
        }}
      >
        <Radio.Group label="Who uploads" mb="md" {...form.getInputProps("uploadsBy")}>
          <Stack gap="xs" mt={4}>
            <Radio value="members" label="Every member" />
            <Radio value="admins" label="Admins and owners only" />
          </Stack>
        </Radio.Group>
      </ActionForm>
    </Section>
  );
}

/** How long a cached result is served before a query has to run again. */
function ResultLifetime({ seconds }: { seconds: number }) {
  const form = useForm({
    initialValues: durationOf(seconds),
    validate: { amount: (amount) => (Number(amount) > 0 ? null : "Enter a number above 0.") },
  });
  return (
    <Section
      title="Lifetime of results"
      description="How long a permalink shows the cached result of a run. After that it must be refreshed. From one minute to one year."
    >
      <ActionForm
        form={form}
        submit={{ label: "Save the lifetime", busy: "Saving it…" }}
        onSubmit={async (duration) => {
          const resultLifetimeSeconds = secondsOf(duration);
          const saved = await api.settings.update.mutate({ resultLifetimeSeconds });
          showChange(trpc.settings.get.queryKey(), saved);
          notifications.show({ message: "Saved. It applies to new results." });
        }}
      >
        <Group mb="md" align="flex-start">
          <NumberInput label="Lifetime" min={1} w="8rem" {...form.getInputProps("amount")} />
          <NativeSelect label="Unit" data={units} {...form.getInputProps("unit")} />
        </Group>
      </ActionForm>
    </Section>
  );
}

interface DaysProps {
  title: string;
  description: string;
  days: number;
  max: number;
  save: (days: number) => Promise<Settings>;
}

/** How many days something is kept. */
function Days({ title, description, days, max, save }: DaysProps) {
  const isDays = (value: number) => Number.isInteger(value) && value >= 0 && value <= max;
  const form = useForm({
    initialValues: { days: days as number | string },
    validate: {
      days: (value) =>
        isDays(Number(value)) && value !== "" ? null : `Enter a number of days from 0 to ${max}.`,
    },
  });
  return (
    <Section title={title} description={description}>
      <ActionForm
        form={form}
        submit={{ label: "Save the days", busy: "Saving them…" }}
        onSubmit={async (values) => {
          const saved = await save(Number(values.days));
          showChange(trpc.settings.get.queryKey(), saved);
          notifications.show({ message: "Saved." });
        }}
      >
        <NumberInput
          label="Days"
          min={0}
          max={max}
          allowDecimal={false}
          w="8rem"
          mb="md"
          {...form.getInputProps("days")}
        />
      </ActionForm>
    </Section>
  );
}

const sizes = { days: 86_400, hours: 3600, minutes: 60 };

type Unit = keyof typeof sizes;

interface Duration {
  amount: number;
  unit: Unit;
}

const units: Unit[] = ["minutes", "hours", "days"];

/** In the largest unit that leaves a whole number. */
function durationOf(seconds: number): Duration {
  const unit = (["days", "hours"] as const).find((unit) => seconds % sizes[unit] === 0) ?? "minutes";
  return { amount: seconds / sizes[unit], unit };
}

const secondsOf = ({ amount, unit }: Duration): number => Math.round(amount * sizes[unit]);
