import { requestPasswordReset } from "../account.ts";
import { emailField } from "../account-fields.ts";
import { link } from "../element.ts";
import { form } from "../form.ts";
import { cardPage, type Page, paragraph, show } from "../page.ts";

// One sentence for both cases: the page must not tell who has an account, and cannot know about mail.
const withoutMail =
  "If no mail comes, this Querybell may have no email server: an admin of your organization, or whoever operates it, can then give you a link.";

export function forgotPasswordPage(): Page {
  const email = emailField();
  return cardPage(
    "Forgot your password?",
    paragraph("Give your email address, and a link to set a new password is mailed to you."),
    form({
      labelledBy: "title",
      fields: [email],
      submit: { label: "Send the link", busy: "Sending…" },
      onSubmit: async () => {
        await requestPasswordReset({ email: email.value() });
        show(requestedPage(email.value()));
      },
    }),
    paragraph(withoutMail),
    paragraph(link("/", "Back to sign-in")),
  );
}

const requestedPage = (email: string): Page =>
  cardPage(
    "Look into your mail",
    paragraph(`If ${email} has an account here, a link is on its way. It works for an hour, and once.`),
    paragraph(withoutMail),
    paragraph(link("/", "Back to sign-in")),
  );
