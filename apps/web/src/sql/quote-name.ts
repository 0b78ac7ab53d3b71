/** A name as SQL takes it: quoted where it would otherwise be read as something else. */
export const quoteName = (name: string): string =>
  /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
