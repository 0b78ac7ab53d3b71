import { tryLine } from "@querybell/conditions";
import { answerLines } from "./answer-lines.ts";

await answerLines("conditions:try", tryLine);
