import { Paper, PasswordInput, Stack, Text, TextInput, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { api } from "../../api.ts";
import { type Me, useRefreshMe, useSession } from "../../session/me.ts";
import { ActionForm } from "../../ui/action-form.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { ConnectedProvider } from "./connected-provider.tsx";
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
