import type { Unit } from "../../digest/periods.ts";
import type { Day } from "../../digest/written-day.ts";
import type { Comparator, Language } from "../slot.ts";
import type { NumberFormat } from "../write-number.ts";
import type { Piece, Written } from "../written.ts";
import { english } from "./english.ts";
import { french } from "./french.ts";
import { german } from "./german.ts";
import { spanish } from "./spanish.ts";

/** What is computed from the cells of a column. */
export type FigureOperation = "value" | "total" | "average" | "smallest" | "largest";

export interface Subject {
  operation: FigureOperation;
  /** The column as it is written. */
  label: string;
  /** False for a column of dates or texts. */
  isNumber: boolean;
  /** Which rows, beginning with a space: " for "France" (country) in October 2026". */
  where: Written;
}

export type Direction = "up" | "down" | "same";

/**
 * All words that Querybell writes into a summary, in one language. Each statement is a whole clause that says itself
 * what it is about, so nothing before or after it changes its meaning.
 */
export interface Wording {
  language: Language;
  numbers: NumberFormat;
  percent(number: string): string;
  points(number: string): string;
  trueOrFalse(value: boolean): string;
  listed(items: readonly Written[]): Written;
  /** The word between two things of the same kind. */
  and: string;
  /** With the space before it that the language has. */
  colon: string;

  /** "October 2026" */
  period(unit: Unit, start: Day): string;
  /** " in October 2026", with a space before it. */
  inPeriod(unit: Unit, start: Day): string;
  soFar: string;
  /** "10 months" */
  countedUnits(unit: Unit, count: string): string;
  /** "10 of 12 months" */
  partOfUnits(unit: Unit, count: string, all: string): string;
  /** "12 months", after a number "of" them. */
  ofUnits(unit: Unit, count: string): string;

  forName(name: Piece): Written;
  /** " with orders above 50" */
  withValue(label: string, comparator: Comparator, value: Piece): Written;
  /** " with day after 3 November 2026" */
  withDate(label: string, comparator: Exclude<Comparator, "=">, period: Written): Written;
  /** Of a result that a limit cut. */
  inFirstRows(count: string): string;
  inLastRun: string;
  inThisRun: string;
  /** "total revenue", without the rows. */
  subject(subject: Subject): string;
  /** ", compared with September 2026" */
  comparedWith(of: Written): Written;
  sinceLastRun: string;
  inTitle(title: string): string;
  /** The words before a statement about SQL that the model wrote. */
  bySqlOfModel: string;

  /** "total revenue for … is 500" */
  figure(subject: Subject, value: Written, options: { isPast: boolean; rowCount: string | null }): Written;
  /** "4% more than in September 2026 (300)" */
  versus(comparison: {
    direction: Direction;
    size: Piece;
    /** Whether the difference is too small to be visible in the digits. */
    isSlight: boolean;
    of: Written;
    value: Written | null;
  }): Written;
  /** "revenue rose by 4% from 5 in September 2026 to 6 in October 2026" */
  change(change: {
    subject: Subject;
    direction: Direction;
    size: Piece;
    from: Written;
    to: Written;
    fromWhere: Written;
    toWhere: Written;
  }): Written;
  changedText(change: { subject: Subject; from: Written; to: Written; since: string }): Written;
  share(share: {
    name: Written;
    label: string;
    where: Written;
    percent: Piece;
    part: Piece;
    whole: Piece;
  }): Written;
  extreme(extreme: { isTop: boolean; names: readonly Written[]; subject: Subject; value: Written }): Written;
  ranking(ranking: { isTop: boolean; count: string; subject: Subject; items: readonly Written[] }): Written;
  rank(rank: { name: Written; rank: string; of: string; subject: Subject; value: Written }): Written;
  list(list: { subject: Subject; comparedWith: Written | null; items: readonly Written[] }): Written;
  /** Several columns of the same rows. */
  columns(columns: { where: Written; comparedWith: Written | null; items: readonly Written[] }): Written;
  movers(movers: {
    subject: Subject;
    isAll: boolean;
    /** Whether there are also rows that only one of the runs has. */
    isOfBothRuns: boolean;
    items: readonly { name: Written; by: Piece; to: Piece }[];
  }): Written;
  count(count: {
    count: Piece;
    isOne: boolean;
    isNone: boolean;
    where: Written;
    all: string | null;
  }): Written;
  distinct(distinct: { count: Piece; isOne: boolean; label: string; where: Written }): Written;
  groups(groups: { label: string; where: Written; items: readonly Written[] }): Written;
  empty(empty: { label: string; count: Written; all: string; where: Written }): Written;
  onlyFirstRows(count: Written): Written;
  newRows(names: readonly Written[]): Written;
  goneRows(names: readonly Written[]): Written;
  someNewRows(count: Piece, isOne: boolean, example: Written | null): Written;
  someGoneRows(count: Piece, isOne: boolean, example: Written | null): Written;
  noNewRows: string;
  noGoneRows: string;
  nothingChanged: string;
  otherColumns: string;
  otherRows: string;
  changedRows(counts: { added: string; gone: string; changed: string }): Written;
  covers(covers: { first: Written; last: Written; counted: string }): Written;
  latest(period: Written): Written;
  noRowsSince(period: Written): Written;
  gaps(names: readonly Written[], more: string | null): Written;
  noGaps(unit: Unit, first: Written, last: Written): Written;
  /** Which results were read. */
  read(titles: readonly string[]): string;
  result: string;
}

export const wordings: Record<Language, Wording> = { en: english, de: german, fr: french, es: spanish };
