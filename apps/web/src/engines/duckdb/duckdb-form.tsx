import { TextInput } from "@mantine/core";
import type { EngineForm, FieldsProps, SettingsOf } from "../engine-form.ts";

export const duckdbForm: EngineForm<"duckdb", SettingsOf<"duckdb">> = {
  empty: { file: "" },
  toValues: (settings) => settings,
  toConnection: (settings) => ({ engine: "duckdb", settings }),
  usesStoredCredentials: () => false,
  toChange: (settings) => ({ engine: "duckdb", settings }),
  required: ({ file }) => [["duckdb.file", file, "Enter the name of the file."]],
  Fields: DuckdbFields,
  describe: ({ file }) => file,
};

function DuckdbFields({ form }: FieldsProps) {
  return (
    <TextInput
      label="File"
      description="The name of a .duckdb file that the operator has put into the folder of embedded databases for this organization."
      placeholder="shop.duckdb"
      {...form.getInputProps("duckdb.file")}
    />
  );
}
