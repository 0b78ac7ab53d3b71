import { button, element } from "./element.ts";

interface FieldOptions {
  name: string;
  label: string;
  type: "email" | "password" | "text";
  autocomplete: AutoFill;
  /** Shown below the field from the start. */
  hint?: string;
  shortest?: number;
  longest?: number;
}

export interface Field {
  container: HTMLElement;
  value(): string;
  focus(): void;
  /** Whether the value will do; if not, the field says why. */
  check(): boolean;
}

/** A labelled input with a place for its hint and for what is wrong with it. */
export function field(options: FieldOptions): Field {
  const { name, label, type, autocomplete, hint, shortest, longest } = options;
  const id = `field-${name}`;
  const problem = element("p", { class: "problem", id: `${id}-problem` });
  const input = element("input", {
    id,
    name,
    type,
    autocomplete,
    required: true,
    minlength: shortest,
    maxlength: longest,
    "aria-describedby": hint ? `${id}-hint ${problem.id}` : problem.id,
  });
  const say = (sentence: string) => {
    problem.textContent = sentence;
    input.setAttribute("aria-invalid", String(sentence !== ""));
  };
  input.addEventListener("input", () => say(""));
  // A password is taken as it is typed: spaces may be part of it.
  const value = () => (type === "password" ? input.value : input.value.trim());
  return {
    container: element(
      "div",
      { class: "field" },
      element("label", { for: id }, label),
      element("div", { class: "input" }, input, type === "password" && revealer(input)),
      hint !== undefined && element("p", { class: "hint", id: `${id}-hint` }, hint),
      problem,
    ),
    value,
    focus: () => input.focus(),
    check() {
      const sentence = whatIsWrong(value(), options);
      say(sentence);
      return sentence === "";
    },
  };
}

/** Lets people read the password that they type. */
function revealer(input: HTMLInputElement): HTMLButtonElement {
  const made = button("Show", () => {
    const shown = input.type === "text";
    input.type = shown ? "password" : "text";
    made.textContent = shown ? "Show" : "Hide";
    made.setAttribute("aria-label", shown ? "Show password" : "Hide password");
  });
  made.setAttribute("aria-label", "Show password");
  return made;
}

function whatIsWrong(value: string, { label, type, shortest = 1 }: FieldOptions): string {
  if (value === "") return `${label} is needed.`;
  if (type === "email" && !/^\S+@\S+$/.test(value)) return "Give an email address, like ada@example.com.";
  if (value.length < shortest) return `Use at least ${shortest} characters.`;
  return "";
}
