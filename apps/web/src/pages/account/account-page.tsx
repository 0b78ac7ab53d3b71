import { Button, Paper, PasswordInput, Stack, Text, TextInput, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { api } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { type Me, useRefreshMe, useSession } from "../../session/me.ts";
import { ActionForm } from "../../ui/action-form.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Section } from "../../ui/section.tsx";
import { linkProvider } from "./account.ts";
import { OwnPrograms } from "./connected-programs.tsx";
import { DeleteAccountForm } from "./delete-account-form.tsx";
import { SecondFactor } from "./second-factor.tsx";
import { Sessions } from "./sessions.tsx";
import { NewPasswordField, newPassword, required } from "./validators.tsx";

export function AccountPage() {
  const { user, limitedTo, memberships } = useSession();
  if (limitedTo !== null) {
    const organization = memberships.find(({ organizationId }) => organizationId === limitedTo)?.name;
    return (
      <Stack maw="44rem">
        <PageHeader title="Your account" />
        <Text>
          You are signed in as {user.email} through the provider of {organization ?? "an organization"}. That
          opens only this organization. To change your account, sign in with a password or a passkey.
        </Text>
      </Stack>
    );
  }
  return (
    <Stack maw="44rem">
      <PageHeader title="Your account" />
      <Paper withBorder p="lg">
        <Title order={2} size="h4" mb="sm">
          Profile
        </Title>
        <ProfileForm user={user} />
      </Paper>
      <Paper withBorder p="lg">
        <Title order={2} size="h4" mb="sm">
          Password
        </Title>
        <ChangePasswordForm />
      </Paper>
      <SecondFactor />
      <Sessions />
      <OwnPrograms />
      <ConnectedProvider />
      <Paper withBorder p="lg">
        <Title order={2} size="h4" mb="sm">
          Deletion
        </Title>
        <DeleteAccountForm email={user.email} />
      </Paper>
    </Stack>
  );
}

function ChangePasswordForm() {
  const form = useForm({
    mode: "uncontrolled",
    initialValues: { currentPassword: "", newPassword: "" },
    validate: { currentPassword: required("Current password"), newPassword },
  });
  return (
    <ActionForm
      form={form}
      submit={{ label: "Change the password", busy: "Changing it…" }}
      onSubmit={async (change) => {
        await api.me.changePassword.mutate(change);
        form.reset();
        notifications.show({ message: "Your password is changed. Your other devices are signed out." });
      }}
    >
      <PasswordInput
        label="Current password"
        autoComplete="current-password"
        mb="md"
        visibilityToggleButtonProps={{ "aria-label": "Show password", tabIndex: 0 }}
        key={form.key("currentPassword")}
        {...form.getInputProps("currentPassword")}
      />
      <NewPasswordField
        label="New password"
        key={form.key("newPassword")}
        inputProps={form.getInputProps("newPassword")}
      />
    </ActionForm>
  );
}

/** Edits the name that others see. The email address cannot be changed. */
function ProfileForm({ user }: { user: Me["user"] }) {
  const refreshMe = useRefreshMe();
  const form = useForm({
    mode: "uncontrolled",
    initialValues: { name: user.name },
    validate: { name: required("Name") },
  });
  return (
    <ActionForm
      form={form}
      submit={{ label: "Save", busy: "Saving…" }}
      onSubmit={async ({ name }) => {
        await api.me.updateProfile.mutate({ name });
        await refreshMe();
        notifications.show({ message: "Your name is saved." });
      }}
    >
      <TextInput
        label="Name"
        autoComplete="name"
        maxLength={100}
        mb="md"
        key={form.key("name")}
        {...form.getInputProps("name")}
      />
      <TextInput label="Email address" value={user.email} readOnly mb="md" />
    </ActionForm>
  );
}

/** Links the account to a person at the organization's provider. Only the account's owner can agree to that. */
function ConnectedProvider() {
  const { organization } = useSession();
  const link = useMutation({ mutationFn: linkProvider });
  if (!organization) return null;
  return (
    <Section
      title="Single sign-on"
      description={`If ${organization.name} has a provider of identities, you can connect your account with it. From then on it signs you in, to this organization only.`}
    >
      {link.error && <ErrorNotice error={link.error} />}
      <Button variant="default" onClick={() => link.mutate(organization.slug)}>
        Connect with the provider
      </Button>
    </Section>
  );
}
