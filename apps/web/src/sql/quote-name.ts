// Without the libraries of the editor: the page shows names before these are loaded.

/** Words that are no names in one engine or another. */
const reserved = new Set(
  `all alter analyse analyze and anti any array as asc asof asymmetric at authorization between binary both by case
  cast check collate collation column concurrently constraint create cross cube current_catalog current_date
  current_path current_role current_schema current_time current_timestamp current_user deallocate default deferrable
  delete desc describe distinct do drop else end escape except execute exists extract false fetch for foreign freeze
  from full glob grant group grouping having ilike in initially inner insert intersect into is isnull join json_array
  json_exists json_object json_query json_table json_value lambda lateral leading left like limit listagg localtime
  localtimestamp natural normalize not notnull null offset on only or order outer overlaps pivot pivot_longer
  pivot_wider placing positional prepare primary qualify recursive references returning right rollup select semi
  session_user show similar skip some summarize symmetric system_user table tablesample then to trailing trim true
  uescape union unique unnest unpack unpivot user using values variadic verbose when where window with`.split(
    /\s+/,
  ),
);

export const isReserved = (word: string): boolean => reserved.has(word.toLowerCase());

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Quotes a name for SQL where it needs quotes. */
export const quoteName = (name: string): string =>
  /^[a-z_][a-z0-9_]*$/.test(name) && !reserved.has(name) ? name : quoted(name);
