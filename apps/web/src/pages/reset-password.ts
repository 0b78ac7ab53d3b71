import { resetPassword } from "../account.ts";
import { newPasswordField } from "../account-fields.ts";
import { link } from "../element.ts";
import { form } from "../form.ts";
import { cardPage, type Page, paragraph, show } from "../page.ts";

export function resetPasswordPage(token: string): Page {
  if (token === "") return incompletePage();
  const password = newPasswordField("New password");
  return cardPage(
    "Set a new password",
    form({
      labelledBy: "title",
      fields: [password],
      submit: { label: "Set the password", busy: "Setting it…" },
      onSubmit: async () => {
        await resetPassword({ token, newPassword: password.value() });
        history.replaceState(null, "", location.pathname);
        show(donePage());
      },
    }),
    paragraph("You will be signed out everywhere else. ", link("/forgot-password", "Ask for a new link")),
  );
}

const donePage = (): Page =>
  cardPage(
    "Your new password is set",
    paragraph("Every device that was signed in with the old one has been signed out."),
    paragraph(link("/", "Sign in with the new password")),
  );

const incompletePage = (): Page =>
  cardPage(
    "This link is incomplete",
    paragraph("Copy the whole link, up to and including what follows the #, or ask for a new one."),
    paragraph(link("/forgot-password", "Ask for a new link")),
  );
