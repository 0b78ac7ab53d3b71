import type { Outputs } from "@querybell/client";
import { signIn } from "../account.ts";
import { newPasswordField, passwordField } from "../account-fields.ts";
import { api, type Me, whoAmI } from "../api.ts";
import { element } from "../element.ts";
import { field } from "../field.ts";
import { form } from "../form.ts";
import { cardPage, type Page, paragraph } from "../page.ts";

type OpenInvitation = Outputs["invitations"]["find"];

export async function invitationPage(token: string): Promise<Page> {
  if (token === "") {
    return cardPage(
      "This link is incomplete",
      paragraph("Copy the whole link, up to and including what follows the #, or ask for a new invitation."),
    );
  }
  const [invitation, me] = await Promise.all([api.invitations.find.mutate({ token }), whoAmI()]);
  return cardPage(
    `Join ${invitation.organizationName}`,
    paragraph(
      `You are invited to ${invitation.organizationName} on Querybell as ${roles[invitation.role]}. The invitation is for `,
      element("strong", {}, invitation.email),
      ` and ends on ${new Date(invitation.expiresAt).toLocaleDateString(undefined, { dateStyle: "long" })}.`,
    ),
    ...waysToAccept(invitation, { token, me }),
  );
}

const roles: Record<OpenInvitation["role"], string> = {
  owner: "an owner",
  admin: "an admin",
  member: "a member",
};

function waysToAccept(
  { email, hasAccount }: OpenInvitation,
  { token, me }: { token: string; me: Me | undefined },
) {
  if (!hasAccount) return [newAccountForm(token, email)];
  if (me?.user.email === email) return [joinForm(token)];
  const signedInAsOther = me && [
    paragraph(`You are signed in as ${me.user.email}. Signing in below changes that.`),
  ];
  return [...(signedInAsOther ?? []), signInForm(token, email)];
}

/** For somebody new: choosing a name and a password makes the account. */
function newAccountForm(token: string, email: string): HTMLFormElement {
  const name = field({ name: "name", label: "Your name", type: "text", autocomplete: "name", longest: 100 });
  const password = newPasswordField("Password");
  return form({
    labelledBy: "title",
    fields: [name, password],
    submit: { label: "Create account and join", busy: "Joining…" },
    onSubmit: async () => {
      const account = { name: name.value(), password: password.value() };
      await api.invitations.accept.mutate({ token, account });
      // The account exists from here on: what fails now is only the sign-in, which can be done again.
      await signIn({ email, password: account.password }).catch(() => undefined);
      location.assign("/");
    },
  });
}

/** For somebody who has an account and is not signed in with it. */
function signInForm(token: string, email: string): HTMLFormElement {
  const password = passwordField();
  return form({
    labelledBy: "title",
    fields: [password],
    submit: { label: "Sign in and join", busy: "Joining…" },
    onSubmit: async () => {
      await signIn({ email, password: password.value() });
      await join(token);
    },
  });
}

const joinForm = (token: string): HTMLFormElement =>
  form({
    labelledBy: "title",
    fields: [],
    submit: { label: "Join", busy: "Joining…" },
    onSubmit: () => join(token),
  });

async function join(token: string): Promise<void> {
  await api.invitations.accept.mutate({ token });
  location.assign("/");
}
