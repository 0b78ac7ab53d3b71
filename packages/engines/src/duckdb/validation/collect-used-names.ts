import { EngineError } from "../../engine.ts";

/** The names that a statement uses, in lower case as DuckDB compares them. */
export interface UsedNames {
  expressionFunctions: Set<string>;
  tableFunctions: Set<string>;
  tables: Set<string>;
  /** The names that WITH defines. */
  commonTables: Set<string>;
}

const expressionClasses = new Set(
  `BETWEEN CASE CAST COLLATE COLUMN_REF COMPARISON CONJUNCTION CONSTANT FUNCTION LAMBDA LAMBDA_REF OPERATOR
  PARAMETER POSITIONAL_REFERENCE STAR SUBQUERY WINDOW`.split(/\s+/),
);

/** Node types without a class: queries, tables, clauses and details of types. */
const otherNodes = new Set(
  `SELECT_NODE SET_OPERATION_NODE RECURSIVE_CTE_NODE CTE_NODE
  BASE_TABLE EMPTY EXPRESSION_LIST JOIN PIVOT SHOW_REF SUBQUERY TABLE_FUNCTION
  DISTINCT_MODIFIER LIMIT_MODIFIER LIMIT_PERCENT_MODIFIER ORDER_MODIFIER
  ORDER_DEFAULT ASCENDING DESCENDING
  ARRAY_TYPE_INFO DECIMAL_TYPE_INFO ENUM_TYPE_INFO GENERIC_TYPE_INFO LIST_TYPE_INFO STRING_TYPE_INFO
  STRUCT_TYPE_INFO UNBOUND_TYPE_INFO`.split(/\s+/),
);

/** Without POINTER and AGGREGATE_STATE, which contain addresses or raw memory. */
const types = new Set(
  `ARRAY BIGINT BIGNUM BIT BLOB BOOLEAN CHAR DATE DECIMAL DOUBLE ENUM FLOAT GEOMETRY HUGEINT INTEGER INTERVAL
  LIST MAP NULL SMALLINT STRUCT TIME TIME_NS TIMESTAMP TIMESTAMP_MS TIMESTAMP_NS TIMESTAMP_S TINYINT UBIGINT
  UHUGEINT UINTEGER UNION USMALLINT UTINYINT UUID VARCHAR VARIANT`.split(/\s+/),
);
const typesWithTimeZone = new Set(["TIME WITH TIME ZONE", "TIMESTAMP WITH TIME ZONE"]);
const addressTypes = new Set(["pointer", "aggregate_state"]);

const shownLists = new Set(['"databases"', '"schemas"', '"tables"', '"variables"', "__show_tables_expanded"]);

const readableSettings = new Set([
  "calendar",
  "default_collation",
  "default_null_order",
  "default_order",
  "integer_division",
  "max_memory",
  "memory_limit",
  "schema",
  "search_path",
  "threads",
  "timezone",
]);

type Node = Record<string, unknown>;

/**
 * Walks the whole syntax tree of a statement. Unknown node types are refused, so that nothing a new version of DuckDB
 * adds is allowed by accident.
 */
export function collectUsedNames(tree: unknown): UsedNames {
  const uses: UsedNames = {
    expressionFunctions: new Set(),
    tableFunctions: new Set(),
    tables: new Set(),
    commonTables: new Set(),
  };
  const calledInFrom = new Set<unknown>();
  const pending: unknown[] = [tree];
  while (pending.length > 0) {
    const value = pending.pop();
    if (Array.isArray(value)) for (const item of value) pending.push(item);
    if (!isNode(value)) continue;
    checkKind(value);
    if (value.type === "TABLE_FUNCTION") calledInFrom.add(value.function);
    if (value.type === "BASE_TABLE") uses.tables.add(nameIn(value, "table_name"));
    if (value.type === "SHOW_REF") checkShown(value);
    if (isNode(value.value) && "query" in value.value) uses.commonTables.add(nameIn(value, "key"));
    if ("function_name" in value) {
      checkCall(value);
      const names = calledInFrom.has(value) ? uses.tableFunctions : uses.expressionFunctions;
      names.add(nameIn(value, "function_name"));
    }
    for (const item of Object.values(value)) if (typeof item === "object") pending.push(item);
  }
  return uses;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function nameIn(node: Node, key: string): string {
  const name = node[key];
  return typeof name === "string" ? name.toLowerCase() : refuseKind(key);
}

function checkKind(node: Node): void {
  if ("class" in node) {
    if (!expressionClasses.has(String(node.class))) refuseKind(node.class);
  } else if (typeof node.type === "string" && !otherNodes.has(node.type)) {
    refuseKind(node.type);
  }
  if (typeof node.id === "string") checkType(node.id);
  if (node.type === "UNBOUND_TYPE_INFO" && addressTypes.has(nameIn(node, "name"))) refuseType(node.name);
}

function checkType(id: string): void {
  if (!types.has(id) && !typesWithTimeZone.has(id) && id !== "UNBOUND") refuseType(id);
}

function checkCall(node: Node): void {
  if (node.class !== "FUNCTION" && node.class !== "WINDOW") refuseKind(node.class);
  if (node.export_state === true)
    refuse("EXPORT_STATE is not available to queries. Select the aggregate itself.");
  if (nameIn(node, "function_name") === "current_setting") checkSetting(node);
}

/** Some settings contain paths of the server, so only literal names from the list are allowed. */
function checkSetting(call: Node): void {
  const [argument] = Array.isArray(call.children) ? call.children : [];
  const value = isNode(argument) && isNode(argument.value) ? argument.value.value : undefined;
  if (typeof value === "string" && readableSettings.has(value.toLowerCase())) return;
  refuse(
    `current_setting() shows only ${[...readableSettings].join(", ")} to queries, and takes the name as a literal.`,
  );
}

function checkShown({ table_name, query, show_type }: Node): void {
  if (query !== undefined || show_type === "SHOW_FROM" || shownLists.has(String(table_name))) return;
  refuse("SHOW can show tables, schemas, databases and variables. Use DESCRIBE for a table.");
}

const refuseType = (name: unknown): never => refuse(`The type ${name} is not available to queries.`);

const refuseKind = (kind: unknown): never =>
  refuse(`The statement uses something that queries may not (${kind}). Write it in another way.`);

function refuse(message: string): never {
  throw new EngineError("query_failed", message);
}
