// Without the libraries of the editor: the page shows names before these are loaded.

/** Words that are no names in one engine or another. */
const reserved = new Set(
  `all analyse analyze and any array as asc asymmetric between both case cast check collate column constraint create
  cross current_date current_time current_timestamp current_user default deferrable delete desc describe distinct do drop
  else end escape except exists extract false fetch for foreign from full grant group having in initially inner insert
  intersect into is join lateral leading left like limit localtime localtimestamp natural normalize not null offset on
  only or order outer placing primary qualify references returning right select session_user some summarize symmetric
  table then to trailing true uescape union unique unnest user using values variadic when where window with`.split(
    /\s+/,
  ),
);

/** Quotes a name for SQL where it needs quotes. */
export const quoteName = (name: string): string =>
  /^[a-z_][a-z0-9_]*$/.test(name) && !reserved.has(name) ? name : `"${name.replaceAll('"', '""')}"`;
