import { CheckedSummary } from "@querybell/domain";
import { realModel, startModelServer } from "@querybell/models/testing";
import { describe, expect } from "vitest";
import { updateModel } from "../../../models/index.ts";
import {
  afterReading,
  modelTest,
  rightSentence,
  salesSql,
  stageOf,
  summarize,
} from "../../../testing/model-test.ts";
import { triggerAutomation } from "../../index.ts";

describe.each([
  { name: "of our own", real: null, isSkipped: false },
  { name: "of MODEL_URL (skipped unless it is set)", real: realModel, isSkipped: !realModel },
])("a model $name", ({ real, isSkipped }) => {
  modelTest.skipIf(isSkipped)(
    "reads a reference, and nothing that the check finds wrong goes out",
    { timeout: 600_000 },
    async ({ deps, make, runs }) => {
      deps.models.limits.silenceMs = 120_000;
      const script = afterReading(() => summarize(rightSentence));
      await using own = await startModelServer((request) => script(request, stageOf(request)));
      const owner = await make.owner();
      const connection = real ?? { url: own.url, name: "scripted", apiKey: null };
      await updateModel(deps, owner, { connection, monthlyTokens: 1_000_000, consent: true });
      const { shortId } = await make.reference(owner, salesSql, { title: "Revenue by month" });
      const automation = await make.automation(owner, {
        agent: "model",
        instruction: "Say what the revenue of Kettle was in October 2026, in one sentence.",
        references: [{ shortId }],
      });
      const { id } = await triggerAutomation(deps, owner, automation);
      const ended = await runs.end(owner, id);
      expect(ended).toMatchObject({ status: "completed", failure: null });
      expect(ended.summary).toMatch(/2[.,]36|2,?360,?000/);
      const steps = await runs.steps(owner, id);
      const written = steps.findLast(({ tool }) => tool === "write_summary");
      const { checkedSentences } = CheckedSummary.parse(written?.output);
      for (const { text, problems } of checkedSentences) {
        expect(ended.summary?.includes(text)).toBe(problems.length === 0);
      }
      expect(await runs.events(owner)).toHaveLength(1);
    },
  );
});
