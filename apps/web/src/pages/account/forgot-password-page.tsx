import { Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { ActionForm } from "../../ui/action-form.tsx";
import { AnchorTo } from "../../ui/links.tsx";
import { requestPasswordReset } from "./account.ts";
import { CardPage } from "./card-page.tsx";
import { emailAddress } from "./validators.tsx";

/** The same message whether or not the account exists: the page must not reveal who has an account. */
const WithoutMail = () => (
  <Text my="md">
    If no mail comes, this Querybell may have no email server: an admin of your organization, or whoever
    operates it, can then give you a link.
  </Text>
);

const BackToSignIn = () => <AnchorTo to="/sign-in">Back to sign-in</AnchorTo>;

export function ForgotPasswordPage() {
  const [sentTo, setSentTo] = useState<string>();
  const form = useForm({
    mode: "uncontrolled",
    initialValues: { email: "" },
    validate: { email: emailAddress },
  });
  if (sentTo !== undefined) {
    return (
      <CardPage title="Look into your mail">
        <Text>If {sentTo} has an account here, a link is on its way. It works for an hour, and once.</Text>
        <WithoutMail />
        <BackToSignIn />
      </CardPage>
    );
  }
  return (
    <CardPage title="Forgot your password?">
      <Text mb="md">Give your email address, and a link to set a new password is mailed to you.</Text>
      <ActionForm
        form={form}
        submit={{ label: "Send the link", busy: "Sending…", fullWidth: true }}
        onSubmit={async ({ email }) => {
          await requestPasswordReset({ email: email.trim() });
          setSentTo(email.trim());
        }}
      >
        <TextInput
          label="Email address"
          type="email"
          autoComplete="username"
          mb="md"
          key={form.key("email")}
          {...form.getInputProps("email")}
        />
      </ActionForm>
      <WithoutMail />
      <BackToSignIn />
    </CardPage>
  );
}
