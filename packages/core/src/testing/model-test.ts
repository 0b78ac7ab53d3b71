import { type Caller, CheckedSummary, type CreateAutomation, type ParameterValues } from "@querybell/domain";
import { type ChatRequest, startModelServer, type Turn } from "@querybell/models/testing";
import type { z } from "zod";
import { triggerAutomation } from "../automations/index.ts";
import { updateModel } from "../models/index.ts";
import { automationTest } from "./automation-test.ts";
import type { TestEngine } from "./query-factories.ts";

export const salesSql = `SELECT * FROM (VALUES
  (DATE '2026-09-01', 'Kettle', 2269230.77::DECIMAL(12,2), 100),
  (DATE '2026-10-01', 'Kettle', 2360000.00::DECIMAL(12,2), 90),
  (DATE '2026-10-01', 'Pan', 120.50::DECIMAL(12,2), 3)) AS t(month, product, revenue, orders)`;

type Script = (request: ChatRequest, stage: number) => Turn;

interface ModelRunOptions {
  sql?: string;
  engine?: TestEngine;
  monthlyTokens?: number;
  /**
   * For tests that read everything of an organization. All other runs share one organization and its hosts.
   */
  inNewOrganization?: boolean;
  parameterValues?: ParameterValues;
  automation?: Partial<z.input<typeof CreateAutomation>>;
}

/** A test with run slots and a scripted model. The script is called once for each turn of the model. */
export const modelTest = automationTest.extend("models", { scope: "file" }, ({ deps, make, runs }) => {
  const useModel = (owner: Caller, url: string, monthlyTokens = 1_000_000) =>
    updateModel(deps, owner, {
      connection: { url, name: "scripted", apiKey: "secret" },
      monthlyTokens,
      consent: true,
    });

  let sharedOwner: ReturnType<typeof make.owner> | undefined;

  const run = async (script: Script, options: ModelRunOptions = {}) => {
    await using server = await startModelServer((request) => script(request, stageOf(request)));
    sharedOwner ??= make.owner();
    const isShared = !options.inNewOrganization && options.monthlyTokens === undefined;
    const owner = await (isShared ? sharedOwner : make.owner());
    await useModel(owner, server.url, options.monthlyTokens);
    const { shortId } = await make.reference(owner, options.sql ?? salesSql, {
      title: "Revenue by month",
      ...(options.engine && { engine: options.engine }),
    });
    const automation = await make.automation(owner, {
      agent: "model",
      instruction: "Say how revenue has changed.",
      references: [{ shortId, parameterValues: options.parameterValues ?? {} }],
      ...options.automation,
    });
    const triggered = await triggerAutomation(deps, owner, automation);
    const ended = await runs.end(owner, triggered.id);
    const steps = await runs.steps(owner, triggered.id);
    return {
      owner,
      automation,
      shortId,
      run: ended,
      steps,
      summaries: steps.flatMap(({ tool, output }) => {
        const { data } = tool === "write_summary" ? CheckedSummary.safeParse(output) : {};
        return data ? [data.checkedSentences] : [];
      }),
      requests: server.requests,
      keys: server.keys,
    };
  };

  return { run, useModel };
});

/** The number of turns that the model has had. Scripts decide by it, also after a takeover. */
export const stageOf = ({ messages }: ChatRequest): number =>
  messages.filter(({ role }) => role === "assistant").length;

/** The short id that the last answer of list_references names. */
export const shortIdIn = ({ messages }: ChatRequest): string => {
  const [, shortId = ""] = /"shortId":"(\w+)"/.exec(JSON.stringify(messages).replaceAll("\\", "")) ?? [];
  return shortId;
};

/** A sentence that can be filled from `salesSql`, and what it becomes. */
export const rightSentence = '{{value column=revenue product="Kettle" period=2026-10 versus=2026-09}}.';
export const rightText =
  'Revenue for "Kettle" in October 2026 was 2,360,000, 90,769.23 (4%) more than in September 2026 (2,269,230.77).';

/** A sentence that the data does not support. */
export const wrongSentence = "There were 95 orders.";

export const summarize = (...sentences: string[]): Turn => ({
  kind: "say",
  calls: [{ name: "write_summary", input: { language: "en", text: sentences.join(" ") } }],
});

/** Looks up the references, then does as the script says. */
export const afterListing =
  (script: Script): Script =>
  (request, stage) =>
    stage > 0
      ? script(request, stage - 1)
      : {
          kind: "say",
          pieces: ["First, ", "what is there."],
          calls: [{ name: "list_references", input: {} }],
        };

/** Looks up the references, runs the first, then does as the script says. */
export const afterReading = (script: Script): Script =>
  afterListing((request, stage) =>
    stage > 0
      ? script(request, stage - 1)
      : { kind: "say", calls: [{ name: "run_reference", input: { shortId: shortIdIn(request) } }] },
  );
