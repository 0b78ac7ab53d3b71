import { signIn, signOut } from "../account.ts";
import { emailField, passwordField } from "../account-fields.ts";
import { type Me, whoAmI } from "../api.ts";
import { element, link } from "../element.ts";
import { asFailure } from "../failure.ts";
import { form } from "../form.ts";
import { type Page, paragraph, show } from "../page.ts";
import { runningParts } from "../status.ts";

/** The start page: what Querybell is and what runs here, beside the sign-in or whoever is signed in. */
export async function homePage(): Promise<Page> {
  const aside = await whoAmI().then(
    (me) => (me ? [signedInCard(me)] : [signInCard()]),
    (error: unknown) => [signInCard(asFailure(error).message)],
  );
  return {
    title: "Querybell",
    content: [
      element(
        "div",
        { class: "home" },
        introduction(),
        element("div", { class: "side" }, ...aside, runningParts()),
      ),
    ],
  };
}

const introduction = (): HTMLElement =>
  element(
    "section",
    { class: "introduction" },
    element("h1", {}, "Saved SQL that rings when it is done."),
    element(
      "p",
      { class: "lead" },
      "Querybell keeps your team’s SQL queries, runs them, caches their results and shares them by permalink. When an automation’s run ends, it sends your systems a signed webhook.",
    ),
    paragraph(
      "So far these pages cover signing in, invitations and passwords. The docs say what the API can do today.",
    ),
    paragraph(link("/docs/", "Read the docs")),
  );

function signInCard(trouble?: string): HTMLElement {
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
        show(await homePage());
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

function signedInCard({ user, organizationId, memberships }: Me): HTMLElement {
  const current = memberships.find((one) => one.organizationId === organizationId);
  const others = memberships.filter((one) => one !== current);
  return element(
    "section",
    { class: "card", "aria-labelledby": "signed-in" },
    element("h2", { id: "signed-in" }, `Hello, ${user.name}`),
    facts({
      "Signed in as": user.email,
      Organization: current ? `${current.name} (${current.role})` : "none yet: ask for an invitation",
      ...(others.length > 0 && { "Also in": others.map(({ name }) => name).join(", ") }),
    }),
    form({
      labelledBy: "signed-in",
      fields: [],
      submit: { label: "Sign out", busy: "Signing out…" },
      onSubmit: async () => {
        await signOut();
        show(await homePage());
      },
    }),
  );
}

const facts = (entries: Record<string, string>): HTMLElement =>
  element(
    "dl",
    {},
    ...Object.entries(entries).map(([term, value]) =>
      element("div", {}, element("dt", {}, term), element("dd", {}, value)),
    ),
  );
