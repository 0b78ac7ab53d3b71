import type { Outputs } from "@querybell/client";
import { api, whoAmI } from "../api.ts";
import { element } from "../element.ts";
import { asFailure } from "../failure.ts";
import { type Page, paragraph, show } from "../page.ts";
import { signInCard } from "../sign-in-card.ts";
import { previewTable } from "./chat-preview.ts";

type Run = Outputs["automationRuns"]["get"];
type Step = Outputs["automationRuns"]["steps"]["items"][number];

/** The chat of an automation's run, which its permalink opens: live, until the run has ended. */
export async function chatPage(shortId: string): Promise<Page> {
  if (!(await whoAmI())) {
    const onSignedIn = async () => show(await chatPage(shortId));
    const why = paragraph("Chats are for members of the organization. Sign in to read this one.");
    return { title: "Chat", content: [element("h1", {}, "A chat"), why, signInCard({ onSignedIn })] };
  }
  const run = await api.automationRuns.findChat.query({ shortId });
  const state = element("p", { class: "hint", role: "status" }, stateOf(run));
  const list = element("ol", { class: "chat" });
  const shown = new Map<string, HTMLElement>();
  api.automationRuns.watch.subscribe(
    { id: run.id },
    {
      onData(news) {
        state.textContent = stateOf(news.run);
        for (const step of news.steps) {
          const item = stepItem(step);
          const before = shown.get(step.name);
          if (before) before.replaceWith(item);
          else list.append(item);
          shown.set(step.name, item);
        }
      },
      onError(error) {
        state.textContent = asFailure(error).message;
      },
    },
  );
  return { title: run.automationName, content: [element("h1", {}, run.automationName), state, list] };
}

function stateOf({ status, isQueued, failure, runAt, completedAt }: Run): string {
  const began = `Triggered ${new Date(runAt).toLocaleString()}.`;
  if (failure) return `${began} Failed: ${failure.reason}`;
  if (status === "completed" && completedAt)
    return `${began} Completed ${new Date(completedAt).toLocaleString()}.`;
  if (status === "running") return `${began} Running…`;
  return isQueued ? `${began} Waiting for the run before it.` : `${began} Waiting for an agent.`;
}

const speakers: Record<string, string> = { instruction: "Instruction", summary: "Summary" };

const stepItem = (step: Step): HTMLElement =>
  element(
    "li",
    { class: `card ${step.state}` },
    element("h2", {}, step.tool ?? speakers[step.name] ?? "Agent"),
    step.text !== "" && paragraph(step.text),
    previewTable(step.output),
    step.state === "running" && element("p", { class: "hint" }, "…"),
  );
