import { Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { ActionForm } from "../../ui/action-form.tsx";
import { AnchorTo } from "../../ui/links.tsx";
import { resetPassword } from "./account.ts";
import { CardPage } from "./card-page.tsx";
import { useToken } from "./token.ts";
import { NewPasswordField, newPassword } from "./validators.tsx";

export function ResetPasswordPage() {
  const token = useToken();
  const [isDone, setIsDone] = useState(false);
  const form = useForm({
    mode: "uncontrolled",
    initialValues: { newPassword: "" },
    validate: { newPassword },
  });
  if (isDone) {
    return (
      <CardPage title="Your new password is set">
        <Text mb="md">Every device that was signed in with the old one has been signed out.</Text>
        <AnchorTo to="/sign-in">Sign in with the new password</AnchorTo>
      </CardPage>
    );
  }
  if (token === "") {
    return (
      <CardPage title="This link is incomplete">
        <Text mb="md">
          Copy the whole link, up to and including what follows the #, or ask for a new one.
        </Text>
        <AnchorTo to="/forgot-password">Ask for a new link</AnchorTo>
      </CardPage>
    );
  }
  return (
    <CardPage title="Set a new password">
      <ActionForm
        form={form}
        submit={{ label: "Set the password", busy: "Setting it…", fullWidth: true }}
        onSubmit={async (values) => {
          await resetPassword({ token, ...values });
          setIsDone(true);
          history.replaceState(history.state, "", location.pathname);
        }}
      >
        <NewPasswordField
          label="New password"
          key={form.key("newPassword")}
          inputProps={form.getInputProps("newPassword")}
        />
      </ActionForm>
      <Text mt="md">
        You will be signed out everywhere else. <AnchorTo to="/forgot-password">Ask for a new link</AnchorTo>
      </Text>
    </CardPage>
  );
}
