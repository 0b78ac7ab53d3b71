import { checkLine } from "@querybell/summaries";
import { answerLines } from "./answer-lines.ts";

await answerLines("check-summaries", (line) => checkLine(line, new Date()));
