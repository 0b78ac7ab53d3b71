import { button } from "./element.ts";
import { asFailure } from "./failure.ts";
import { cardPage, type Page, paragraph, show } from "./page.ts";
import { forgotPasswordPage } from "./pages/forgot-password.ts";
import { homePage } from "./pages/home.ts";
import { invitationPage } from "./pages/invitation.ts";
import { notFoundPage } from "./pages/not-found.ts";
import { resetPasswordPage } from "./pages/reset-password.ts";

/** Tokens come after the #, which browsers never send: so they stay out of every log on the way. */
const pages: Record<string, (token: string) => Page | Promise<Page>> = {
  "/": homePage,
  "/forgot-password": forgotPasswordPage,
  "/invitation": invitationPage,
  "/reset-password": resetPasswordPage,
};

async function open(): Promise<void> {
  const path = location.pathname.replace(/(?<=.)\/+$/, "");
  if (path === "/docs") return location.replace("/docs/");
  const page = pages[path];
  try {
    show(page ? await page(location.hash.slice(1)) : notFoundPage(path));
  } catch (error) {
    show(failedPage(asFailure(error).message));
  }
}

const failedPage = (message: string): Page =>
  cardPage("This did not work", paragraph(message), button("Try again", open));

window.addEventListener("hashchange", open);
await open();
