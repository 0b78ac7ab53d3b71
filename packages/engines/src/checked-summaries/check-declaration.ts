import type { Declaration, EvaluatedFigure } from "./declaration.ts";
import { toExact } from "./evaluate-figure.ts";
import { normalize } from "./find-tokens.ts";
import {
  absolute,
  divide,
  type Fraction,
  multiply,
  signOf,
  subtract,
  unitsAt,
  writeFraction,
} from "./fraction.ts";
import { isDateOf, parseWrittenDate } from "./written-date.ts";
import { isNameOf } from "./written-name.ts";
import { parseWrittenNumber, type WrittenNumber } from "./written-number.ts";

export interface Operands {
  of: EvaluatedFigure;
  against: EvaluatedFigure | undefined;
}

/** Recomputes a declaration and compares it with what is written. Returns why it is wrong, or undefined. */
export function checkDeclaration(declaration: Declaration, { of, against }: Operands): string | undefined {
  if (of.kind === "problem") return of.reason;
  if (against?.kind === "problem") return against.reason;
  const written = normalize(declaration.written);
  if (declaration.operation === "figure") {
    if (declaration.against) return "A figure has no `against`. Name an operation.";
    return of.kind === "text" ? checkText(written, of.text) : checkFigure(written, of);
  }
  if (of.kind !== "number" || (against && against.kind !== "number")) {
    return `A ${declaration.operation} needs numeric columns.`;
  }
  const number = parseWrittenNumber(written);
  if (!number) return unreadable(written);
  return checkDerived(declaration, number, { of, against });
}

const unreadable = (written: string): string =>
  `${JSON.stringify(written)} cannot be read as a number. Write it like 1,234.5 or 2.36 M or 4 %.`;

function checkText(written: string, text: string): string | undefined {
  if (isNameOf(written, text)) return undefined;
  const date = parseWrittenDate(written);
  if (date && isDateOf(date, text)) return undefined;
  return `The data has ${JSON.stringify(text)}.`;
}

type EvaluatedNumber = Extract<EvaluatedFigure, { kind: "number" }>;

function checkFigure(written: string, of: EvaluatedNumber): string | undefined {
  const number = parseWrittenNumber(written);
  if (!number) return unreadable(written);
  if (number.unit === "percent" && !of.isRate) {
    return "The column holds no percentages. Declare a percentage, or leave the percent sign out.";
  }
  if (number.unit === "times") return "Only a ratio is written with x.";
  return checkSigned(number, toExact(of));
}

interface Derived {
  of: EvaluatedNumber;
  against: EvaluatedNumber | undefined;
}

function checkDerived(
  { operation, direction }: Declaration,
  number: WrittenNumber,
  { of, against }: Derived,
): string | undefined {
  if (operation === "percentage" && !against) {
    if (!of.isRate) return "A percentage needs `against`.";
    return checkPercent(number) ?? checkSigned(number, multiply(toExact(of), 100n));
  }
  if (!against) return `A ${operation} needs \`against\`.`;
  const [one, other] = [toExact(of), toExact(against)];
  switch (operation) {
    case "difference":
      if (number.unit === "times" || (number.unit === "percent" && !(of.isRate && against.isRate))) {
        return "A difference has the unit of its column.";
      }
      return checkChange(number, subtract(one, other), direction);
    case "ratio": {
      const ratio = divide(one, other);
      if (number.unit === "percent") return "Declare a percentage, or leave the percent sign out.";
      return ratio ? checkSigned(number, ratio) : "It divides by zero.";
    }
    case "percentage": {
      const share = divide(multiply(one, 100n), other);
      return checkPercent(number) ?? (share ? checkSigned(number, share) : "It divides by zero.");
    }
    case "percentage_change": {
      const change = divide(multiply(subtract(one, other), 100n), absolute(other));
      return (
        checkPercent(number) ?? (change ? checkChange(number, change, direction) : "It divides by zero.")
      );
    }
    case "figure":
      return "A figure has no `against`.";
  }
}

const checkPercent = ({ unit }: WrittenNumber): string | undefined =>
  unit === "percent" ? undefined : "A percentage is written with a percent sign.";

/** A number that is written with its sign, or is not negative. */
function checkSigned(number: WrittenNumber, exact: Fraction): string | undefined {
  const isNegative = number.sign === "-";
  if (isNegative !== exact.numerator < 0n) return wrong(exact, number);
  return checkSize(number, exact);
}

/** A change that is written with its sign, or else declared with its direction. */
function checkChange(
  number: WrittenNumber,
  exact: Fraction,
  direction: Declaration["direction"],
): string | undefined {
  const sign = signOf(exact);
  const said = number.sign === null ? direction : number.sign === "-" ? "down" : "up";
  if (number.sign !== null && direction !== undefined && direction !== said) {
    return "The direction contradicts the sign.";
  }
  if (sign === 0) return said === undefined ? checkSize(number, exact) : "Nothing changed.";
  if (said === undefined) return "Declare the direction, up or down.";
  if (said !== (sign > 0 ? "up" : "down")) {
    return `It went ${sign > 0 ? "up" : "down"}: ${show(exact, number.scale)}.`;
  }
  return checkSize(number, exact);
}

function checkSize(number: WrittenNumber, exact: Fraction): string | undefined {
  const size = absolute(exact);
  // A number that is not zero must show at least one of its digits.
  if (unitsAt(size, number.scale) !== number.units || (number.units === 0n && size.numerator !== 0n)) {
    return wrong(exact, number);
  }
  return undefined;
}

const wrong = (exact: Fraction, { scale }: WrittenNumber): string =>
  `The data gives ${show(exact, Math.max(scale, 0))}.`;

/** The number with a few more digits than were written, so that the model can correct what it wrote. */
function show(exact: Fraction, scale: number): string {
  const text = writeFraction(exact, Math.min(Math.max(scale, 0) + 4, 12));
  return text.length > 60 ? "another number" : text;
}
