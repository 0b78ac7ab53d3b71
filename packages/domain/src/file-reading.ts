import { z } from "zod";
import { delimiters, encodings, numberForms } from "./upload-formats.ts";

const maxHeaderLine = 1000;

/** How a file is to be read where it does not show it itself. A table remembers the reading of its files. */
export const FileReading = z
  .strictObject({
    encoding: z
      .enum(encodings)
      .describe("The encoding of a text file. UTF-8 and UTF-16 are found without it")
      .meta({ examples: ["windows-1252"] }),
    delimiter: z.enum(delimiters).describe("What separates the values of a CSV file"),
    header: z
      .int()
      .min(0)
      .max(maxHeaderLine)
      .describe("The line or, in an Excel file, the row with the names of the columns; 0 if there is none"),
    sheet: z
      .string()
      .min(1)
      .max(100)
      .describe("The sheet of an Excel file")
      .meta({ examples: ["Sheet1"] }),
    numbers: z
      .record(z.string().max(200), z.enum(numberForms))
      .describe(
        "How the numbers of a column are written, by an example. Currency and percent signs are left out; 5 % is 0.05",
      )
      .meta({ examples: [{ amount: "1.234,56" }] }),
  })
  .partial();
export type FileReading = z.infer<typeof FileReading>;
