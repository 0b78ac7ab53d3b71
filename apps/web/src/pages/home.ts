import { signOut } from "../account.ts";
import { type Me, whoAmI } from "../api.ts";
import { element, link } from "../element.ts";
import { asFailure } from "../failure.ts";
import { form } from "../form.ts";
import { type Page, paragraph, show } from "../page.ts";
import { signInCard } from "../sign-in-card.ts";
import { runningParts } from "../status.ts";

/** The start page: what Querybell is and what runs here, beside the sign-in or whoever is signed in. */
export async function homePage(): Promise<Page> {
  const aside = await whoAmI().then(
    (me) => (me ? [signedInCard(me)] : [signInCard({ onSignedIn: home })]),
    (error: unknown) => [signInCard({ onSignedIn: home, trouble: asFailure(error).message })],
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

const home = async () => show(await homePage());

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
        await home();
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
