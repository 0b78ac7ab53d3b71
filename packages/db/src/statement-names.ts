/**
 * Names statements by their text, so that a connection plans each one once. Only the first `max` get a name: lists of
 * values produce an unlimited number of texts, and a connection keeps every named plan. The others have none: "".
 */
export function createStatementNames(prefix: string, max: number): (text: string) => string {
  const names = new Map<string, string>();
  return (text) => {
    const known = names.get(text);
    if (known !== undefined) return known;
    if (names.size === max) return "";
    const name = `${prefix}_${names.size}`;
    names.set(text, name);
    return name;
  };
}
