const words =
  "select from where group by order having limit offset join left right full inner outer cross lateral on using as distinct " +
  "union all except intersect with recursive values case when then else end and or not in is null like ilike between exists " +
  "any some cast over partition rows range window filter asc desc nulls first last true false interval date timestamp " +
  "extract coalesce nullif greatest least count sum avg min max round date_trunc string_agg array_agg row_number rank lag lead";

const duckdbKeywords = "qualify pivot unpivot exclude replace columns summarize asof sample";

const engineKeywords = {
  duckdb: ` ${duckdbKeywords}`,
  postgres: "",
  trino: " unnest tablesample match_recognize",
};

/** The keywords that completion offers. The dialects have hundreds more, which are rarely wanted. */
export const commonKeywords = (engine: keyof typeof engineKeywords): string[] =>
  `${words}${engineKeywords[engine]}`.split(" ");
