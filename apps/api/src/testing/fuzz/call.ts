import fc from "fast-check";
import { anyForm, type Form, plainForm } from "./forms.ts";
import { hostile, nearValid } from "./mutate-input.ts";
import type { Operation } from "./operations.ts";
import { type CallerName, callerNames } from "./our-organization.ts";

/** A generated call of an operation. Its ids are symbols. */
export interface FuzzCall {
  caller: CallerName;
  input: unknown;
  form: Form;
}

/** A call as the examples of the reference make it. */
export const likelyCallOf = ({ likely, callers }: Operation): fc.Arbitrary<FuzzCall> =>
  fc.record({ caller: fc.constantFrom(...callers), input: likely, form: fc.constant(plainForm) });

export const callOf = ({ valid }: Operation): fc.Arbitrary<FuzzCall> =>
  fc.record({
    caller: fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom<CallerName[]>("owner", "key") },
      { weight: 1, arbitrary: fc.constantFrom(...callerNames) },
    ),
    input: fc.oneof(
      { weight: 3, arbitrary: valid },
      { weight: 3, arbitrary: nearValid(valid) },
      { weight: 2, arbitrary: hostile(valid) },
    ),
    form: anyForm,
  });
