import { button } from "./element.ts";
import { asFailure } from "./failure.ts";
import { cardPage, type Page, paragraph, show } from "./page.ts";
import { chatPage } from "./pages/chat.ts";
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
  try {
    show(await find(path));
  } catch (error) {
    show(failedPage(asFailure(error).message));
  }
}

function find(path: string): Page | Promise<Page> {
  const [, chat] = /^\/chats\/(\w+)$/.exec(path) ?? [];
  if (chat !== undefined) return chatPage(chat);
  return pages[path]?.(location.hash.slice(1)) ?? notFoundPage(path);
}

const failedPage = (message: string): Page =>
  cardPage("This did not work", paragraph(message), button("Try again", open));

window.addEventListener("hashchange", open);
await open();
