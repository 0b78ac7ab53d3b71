import { signIn } from "./account.ts";
import { emailField, passwordField } from "./account-fields.ts";
import { element, link } from "./element.ts";
import { form } from "./form.ts";
import { paragraph } from "./page.ts";

interface SignInCard {
  /** What to show when somebody has signed in. */
  onSignedIn: () => Promise<void>;
  trouble?: string;
}

export function signInCard({ onSignedIn, trouble }: SignInCard): HTMLElement {
  const email = emailField();
  const password = passwordField();
  return element(
    "section",
    { class: "card", "aria-labelledby": "sign-in" },
    element("h2", { id: "sign-in" }, "Sign in"),
    trouble !== undefined && element("p", { class: "alert", role: "alert" }, trouble),
    form({
      labelledBy: "sign-in",
      fields: [email, password],
      submit: { label: "Sign in", busy: "Signing in…" },
      onSubmit: async () => {
        await signIn({ email: email.value(), password: password.value() });
        await onSignedIn();
      },
    }),
    paragraph(link("/forgot-password", "Forgot password?")),
    element(
      "p",
      { class: "hint" },
      "People join by invitation. Ask an admin of your organization for a link.",
    ),
  );
}
